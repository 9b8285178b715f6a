"""Lets somebody else answer a boundary: `REFERENCE.having(commit=answered_by(…))`.

Each distinct question is asked once and its answer kept; some are asked again later, as an answer must depend on the
question alone. What is answered goes into the model as the answer of a rule would; that a yes wrote what the model
writes is a promise of its own.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from fencebench.checker.answered.questions import BY_SHARD, publish
from fencebench.checker.answered.rows import Question
from fencebench.model.fence import Answer, Fence, FenceError, Refusal
from fencebench.model.machine import Event, Evidence
from fencebench.model.promises.promise import ANSWERS, Promise
from fencebench.model.settings import Bound, Settings, Setup

YES = "yes"
AGAIN_EVERY = 8
"""Of so many new questions one that was asked before is asked again."""

Change = tuple[str, str, str, str]


class Reply(NamedTuple):
    """What somebody answered: a class or yes (None), what it rests on, and what was written otherwise than answered."""

    refusal: Refusal | None
    shown: tuple[Change, ...] = ()
    wrong: str = ""


class Unanswered(Exception):
    """A question got no answer that can be used; the message says why."""


class Unheld(Exception):
    """The tables cannot hold a question's rows: two of a shard under one key, so a promise is broken already."""


class Asked(Protocol):
    """A function, a database or a process that can be asked."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def kind(self) -> str:
        """What it is."""

    @property
    def writes(self) -> bool:
        """Whether what it wrote is looked at."""

    @property
    def jobs(self) -> int:
        """How many questions it can be asked at a time."""

    def ask(self, question: Question) -> Reply:
        """Answer a question.

        Raises:
            Unanswered: it failed, hung, or changed what was not to be changed.
            Unheld: the tables cannot hold such rows.
        """


def writes_what_it_answers(event: Event, *, setup: Setup) -> str | None:
    """After a yes the tables hold just what the fence writes, and after a refusal what they held before.

    Source: design section 4, the effect of each boundary; a row that is answered and not written is lost.
    """
    return (event.evidence.wrong or None) if event.evidence else None


WRITES = Promise(
    claim=writes_what_it_answers,
    title="What was answered is not what was written",
    group=ANSWERS,
    failure="The caller is told one thing, and the tables say another.",
    question="After each answer, what do the tables hold?",
)
"""The promise about whoever writes the tables himself."""


def unwatched(who: "Respondent") -> None:
    """Tell nobody of an answer."""


@dataclass(eq=False)
class Respondent:
    """Answers a boundary by asking somebody else, and keeps the answers.

    Attributes:
        asked: whom it asks.
        words: what its own words mean: a class, or `yes`.

    """

    asked: Asked
    replies: dict[Question, Reply] = field(default_factory=dict, repr=False)
    questions: list[Question] = field(default_factory=list, repr=False)
    again: int = 0
    seconds: float = 0.0
    watch: Callable[["Respondent"], None] = field(default=unwatched, repr=False)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def name(self) -> str:
        """What it is called where a rule would be named."""
        return self.asked.name

    @property
    def promises(self) -> tuple[Promise, ...]:
        """The promise about what it writes."""
        return (WRITES,) if self.asked.writes else ()

    @property
    def summary(self) -> str:
        """Say who answered how many questions."""
        asked = f"{len(self.questions):,} questions, {self.again:,} of them asked again"
        return f"{self.name} ({self.asked.kind}): {asked}"

    @property
    def pace(self) -> str:
        """Say how far it is and how fast."""
        rate = len(self.questions) / self.seconds if self.seconds else 0
        return f"{self.summary}, {rate:,.0f} a second"

    def answer(self, fence: Fence, boundary: str, request: Any, view: Any) -> Answer:
        """Answer a question of the model.

        Raises:
            FenceError: there is no answer that can be used; the message has the question.
        """
        question = question_of(fence, boundary, request, view)
        by_rules = fence.by_rules(boundary, request, view)
        try:
            reply = self.reply(question)
        except Unheld:
            return by_rules
        rule = f"{boundary}.{self.name}" if reply.refusal else ""
        return Answer(reply.refusal, rule, evidence=Evidence(self.shown(reply, by_rules), reply.wrong))

    def shown(self, reply: Reply, by_rules: Answer) -> tuple[Change, ...]:
        """Say who answered; where the rules would have answered otherwise, or it wrote wrongly, also on what ground."""
        if reply.refusal == by_rules.refusal and not reply.wrong:
            return ((self.name, "answers as the rules do", "", ""),)
        by = f" ({by_rules.rule})" if by_rules.rule else ""
        answers = (self.name, "answers", "", f"{reply.refusal or YES}; the rules answer {by_rules.refusal or YES}{by}")
        return (answers, *reply.shown)

    def reply(self, question: Question) -> Reply:
        """Return the answer to a question, asked once; now and then an earlier one is asked again."""
        if question not in self.replies:
            self.keep(question, self.asking(question))
            number = len(self.questions)
            if number % AGAIN_EVERY == 1:
                self.ask_again(self.questions[number // 2])
            self.watch(self)
        return self.replies[question]

    def keep(self, question: Question, reply: Reply) -> None:
        """Keep an answer."""
        with self.lock:
            if question not in self.replies:
                self.questions.append(question)
                self.replies[question] = reply

    def asking(self, question: Question) -> Reply:
        """Ask; count the time.

        Raises:
            FenceError: there is no answer that can be used.
        """
        began = time.monotonic()
        try:
            return self.asked.ask(question)
        except Unanswered as error:
            raise FenceError(f"{self.name} ({self.asked.kind}) {error}, asked {question}") from error
        finally:
            self.seconds += time.monotonic() - began

    def ask_again(self, question: Question) -> None:
        """Ask a question again.

        Raises:
            FenceError: the answer is another one.
        """
        first, second = self.replies[question], self.asking(question)
        self.again += 1
        if (first.refusal, first.wrong) != (second.refusal, second.wrong):
            words = (f"{r.refusal or YES}{f' and {r.wrong}' if r.wrong else ''}" for r in (first, second))
            answers = ", then ".join(words)
            raise FenceError(
                f"{self.name} answered {answers} to the same question; it must depend on the question alone, "
                f"asked {question}"
            )

    def ask_ahead(self, questions: Iterable[Question]) -> None:
        """Ask many questions, several at a time where that is possible."""
        new = [q for q in dict.fromkeys(questions) if q not in self.replies]
        with ThreadPoolExecutor(max(1, self.asked.jobs)) as pool:
            for question, reply in zip(new, pool.map(self.asking, new), strict=True):
                self.keep(question, reply)
                self.watch(self)


def question_of(fence: Fence, boundary: str, request: Any, view: Any) -> Question:
    """Return a question of the model with the names of the domain."""
    if boundary == "publish":
        return publish(view, Setup(fence, Settings(), Bound()))
    return BY_SHARD[boundary](request, view)


def understood(word: object, words: Mapping[Any, str]) -> Refusal | None:
    """Return the class that a word means, or None for yes.

    Raises:
        Unanswered: it means neither.
    """
    meant = words.get(word, word)
    if meant in (YES, None):
        return None
    if isinstance(meant, str) and meant in Refusal.__members__:
        return Refusal(meant)
    raise Unanswered(
        f"answered {word!r}; expected {YES!r} or a class such as STALE_EPOCH (words={{…}} says what yours mean)"
    )


NO_WORDS: Mapping[Any, str] = MappingProxyType({})


@dataclass
class Function:
    """A Python function of (request, view), both plain values; it answers None or `yes`, or a class."""

    function: Callable[[Any, Any], object]
    words: Mapping[Any, str] = field(default_factory=dict)
    kind: str = "function"
    writes: bool = False
    jobs: int = 1

    @property
    def name(self) -> str:
        """The function's name."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    def ask(self, question: Question) -> Reply:
        """Call the function."""
        try:
            found = self.function(question.request, question.view)
        except (Exception, SystemExit) as error:
            raise Unanswered(f"raised {type(error).__name__}: {error}") from error
        request = ", ".join(f"{k}={v}" for k, v in vars(question.request).items() if v is not None)
        return Reply(understood(found, self.words), ((self.name, "asked", "", request),))


def answered_by(who: Any, words: Mapping[Any, str] = NO_WORDS) -> Respondent:
    """Return who answers a boundary: a function of (request, view), a `sql(…)`, a `process(…)` or a `service(…)`.

    Args:
        who: whom to ask.
        words: what its own words mean, e.g. {"stale": "STALE_EPOCH", "ok": "yes"}.

    Raises:
        FenceError: it cannot be asked, or a word means neither yes nor a class.

    """
    for word, meaning in words.items():
        if meaning != YES and meaning not in Refusal.__members__:
            raise FenceError(
                f"answered_by: {word!r} means {meaning!r}; expected {YES!r} or a class such as STALE_EPOCH"
            )
    if callable(getattr(who, "ask", None)):
        return Respondent(replaced(who, words={**who.words, **words}))
    if not callable(who):
        raise FenceError(f"answered_by: {who!r} cannot be asked; expected a function, sql(…), process(…) or service(…)")
    return Respondent(Function(who, {**words}))
