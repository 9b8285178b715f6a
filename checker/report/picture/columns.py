"""Where the columns of a picture stand, in points from the card's left edge."""

from dataclasses import dataclass

from fencebench.checker.report.picture import words
from fencebench.checker.report.picture.measure import width
from fencebench.checker.report.picture.shapes import LIFELINE
from fencebench.checker.report.story import Lane, Story

PAD = 20.0
NUMBERS = 20.0
AROUND_CLOCK = 20.0
SEAM = 14.0
STATE = 222.0
WIDEST, NARROW, NARROWEST = 112.0, 84.0, 36.0
LANES_LEAST = 224.0
CARD, CARD_MOST = 1046.0, 1300.0
CARD_LEAST = 760.0
RAIL_OUT, RAIL_IN = 11.0, 4.0

EPOCHS = ("#0072B2", "#009E73", "#AA4499", "#8C6D1F", "#5B5BD6")
TINTS = ("#E6F1F8", "#E2F3EC", "#F7EAF4", "#F5EFDF", "#ECECFB")


@dataclass(frozen=True)
class Columns:
    """The lanes in order and the x of each lifeline.

    The gutter holds the step's number and the driver's clock; `own_clock`: a column for the worker's clock follows.
    `crowded`: the lanes stand too close for any text between them, so that it goes to the state column.
    """

    lanes: tuple[Lane, ...]
    left: float
    pitch: float
    gutter: float
    own_clock: bool
    card: float
    crowded: bool
    epochs: tuple[int, ...]

    @property
    def right(self) -> float:
        """Where the lanes end."""
        return self.left + self.pitch * len(self.lanes)

    @property
    def state(self) -> float:
        """Where the state column starts."""
        return self.right + SEAM

    @property
    def sharded(self) -> bool:
        """Whether several shards have workers here."""
        return words.many_shards(self.lanes)

    @property
    def titles(self) -> dict[str, str]:
        """The title of each lane by key."""
        return {lane.key: self.title(lane) for lane in self.lanes}

    def title(self, lane: Lane) -> str:
        """Name a lane in a sentence, with its shard where there are several."""
        told = not self.sharded or lane.kind != "worker" or "shard" in lane.title
        return lane.title if told else f"{lane.title} (shard {lane.shard})"

    def index(self, key: str) -> int:
        """Give the place of a lane."""
        return next(i for i, lane in enumerate(self.lanes) if lane.key == key)

    def x(self, index: int) -> float:
        """Give the x of a lifeline."""
        return self.left + self.pitch * (index + 0.5)

    def reach(self, index: int) -> float:
        """How far a lane's rails stand out from its lifeline."""
        return RAIL_OUT if self.lanes[index].kind == "worker" else 0.0

    def rank(self, epoch: int | None) -> int | None:
        """Give the place of an epoch among those of the story: what its colour goes by."""
        return None if epoch is None else self.epochs.index(epoch) % len(EPOCHS)

    def colour(self, epoch: int | None) -> str:
        """Give the colour of an epoch, grey without one."""
        rank = self.rank(epoch)
        return "#57606A" if rank is None else EPOCHS[rank]

    def tint(self, epoch: int | None) -> str:
        """Give the pale ground of an epoch."""
        rank = self.rank(epoch)
        return "#F2F3F5" if rank is None else TINTS[rank]

    def edge(self, lane: Lane) -> str:
        """Give the outline of a lane's head."""
        return LIFELINE if lane.epoch is None else self.colour(lane.epoch)


def columns(story: Story) -> Columns:
    """Place lanes as wide as the card allows; with many the card grows, and the PNG takes fewer dots to the point."""
    lanes = words.lanes_of(story)
    own = any(s.worker_seconds not in (None, s.driver_seconds) for s in story.steps)
    gutter = NUMBERS + AROUND_CLOCK + clock_width([step.driver_seconds for step in story.steps])
    mine = [step.worker_seconds for step in story.steps if step.worker_seconds is not None]
    left = PAD + gutter + (clock_width(mine) + AROUND_CLOCK if own else 0)
    fixed = left + SEAM + STATE + PAD
    crowded = fixed + NARROW * len(lanes) > CARD_MOST
    pitch = pitch_of(max(1, len(lanes)), fixed, crowded)
    card = max(CARD_LEAST, fixed + pitch * len(lanes))
    return Columns(lanes, left, pitch, gutter, own, card, crowded, words.epochs_of(story))


def pitch_of(count: int, fixed: float, crowded: bool) -> float:
    """Choose how far lifelines stand apart, `fixed` points of the card being taken."""
    if count < LANES_LEAST / WIDEST:
        return LANES_LEAST / count
    return max(NARROWEST if crowded else NARROW, min(WIDEST, (CARD - fixed) / count))


def clock_width(instants: list[int]) -> float:
    """Give what the widest of these instants takes, at least the column's title."""
    return max([40.0, *(width(words.seconds(instant)) for instant in instants)])
