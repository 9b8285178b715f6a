"""The server: loopback only, a token in every address, GET only, nothing of a request is ever run or loaded."""

import secrets
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from fencebench.checker.errors import BadInput
from fencebench.checker.explorer.place import Desk, Option, Place, written
from fencebench.checker.explorer.run import Subject, compared, story_of, trace_of
from fencebench.checker.explorer.seek import Searches, goals
from fencebench.checker.report.html.page import digest, environment_of, resource_of
from fencebench.checker.report.picture import as_svg
from fencebench.checker.report.picture.words import change_line
from fencebench.checker.report.story import Change
from fencebench.model.describe import StepDescription
from fencebench.model.settings import fault_names

HERE = "fencebench.checker.explorer"
HOSTS = ["127.0.0.1", "localhost"]
PATIENCE_SECONDS = 0.3
"""How long a page waits for a search before it says that it is still going on."""


@dataclass
class Explorer:
    """What is served: a fence under a bound, perhaps another one beside it, where the first page stands."""

    subject: Subject
    other: Subject | None = None
    start: str = ""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    searches: Searches = field(default_factory=Searches)
    drawing: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.desk = self.subject.desk
        self.beside = self.other.desk if self.other else None
        self.style = resource_of(HERE, "explorer.css")

    @property
    def first(self) -> str:
        """The path of the first page."""
        return self.link("", at=self.start)

    def link(self, page: str, **query: str) -> str:
        """Return a path of this server."""
        return f"/{self.token}/{page}?{urlencode(query)}"

    def app(self) -> Starlette:
        """Return the application."""
        pages = {"": self.stand, "picture": self.picture, "seek": self.seek, "stop": self.stop, "trace": self.trace}
        routes = [Route(f"/{{token}}/{name}", self.guarded(page), methods=["GET"]) for name, page in pages.items()]
        return Starlette(routes=routes, middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS)])

    def guarded(self, page: Callable[[Place, Mapping[str, str]], Response]) -> Callable[[Request], Awaitable[Response]]:
        """Serve a page to who has the token, under a policy that loads nothing from elsewhere."""

        async def serve(request: Request) -> Response:
            if not secrets.compare_digest(request.path_params["token"].encode(), self.token.encode()):
                return self.secured(Response("no such page", 404))
            try:
                query = request.query_params
                return self.secured(page(self.desk.at(query.get("at", "")), query))
            except BadInput as error:
                return self.secured(Response(str(error), 400, media_type="text/plain"))

        return serve

    def secured(self, response: Response) -> Response:
        """Add the headers that every answer has."""
        policy = f"default-src 'none'; img-src 'self' data:; style-src {digest(self.style)}; base-uri 'none'"
        response.headers["Content-Security-Policy"] = f"{policy}; form-action 'self'; frame-ancestors 'none'"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Cache-Control"] = "no-store"
        return response

    def page(self, place: Place, **more: Any) -> Response:
        """Return the page of a place."""
        at = written(place.choices)
        known = {"waiting": None, "note": "", **more}
        text = (
            environment_of(HERE)
            .get_template("explorer.html")
            .render(
                at=at,
                fence=self.subject.fence,
                place=place,
                groups=groups(place),
                faults=[(name, budget(place, i)) for i, name in enumerate(fault_names(self.subject.fence))],
                goals=goals(self.desk),
                other=self.other and (self.other.fence.name, compared(place, self.desk_beside)),
                link=self.link,
                written=written,
                changes=lambda option: changes(place, option),
                style=Markup(self.style),
                **known,
            )
        )
        return HTMLResponse(text)

    @property
    def desk_beside(self) -> Desk:
        """The model of the other fence."""
        assert self.beside is not None
        return self.beside

    def stand(self, place: Place, query: Mapping[str, str]) -> Response:
        """Show a place."""
        return self.page(place, note=query.get("note", "")[:200])

    def picture(self, place: Place, query: Mapping[str, str]) -> Response:
        """Draw the run to a place."""
        with self.drawing:
            return Response(as_svg(story_of(self.subject, place)), media_type="image/svg+xml")

    def trace(self, place: Place, query: Mapping[str, str]) -> Response:
        """Give the run to a place as ITF, to be saved."""
        keep = {"Content-Disposition": 'attachment; filename="explored.itf.json"'}
        return Response(trace_of(self.subject, place), media_type="application/json", headers=keep)

    def seek(self, place: Place, query: Mapping[str, str]) -> Response:
        """Search from a place; go to what is found, or say how far the search is."""
        at, goal = written(place.choices), query.get("goal", "")
        if goal not in goals(self.desk):
            raise BadInput(f"nothing is called {goal!r}; expected one of {', '.join(goals(self.desk))}")
        search = self.searches.of(place, goal)
        search.look(PATIENCE_SECONDS)
        if not search.done:
            return self.page(place, waiting=(goal, search.states))
        self.searches.stop()
        if search.answer is None:
            return RedirectResponse(self.link("", at=at, note=f"from here there is none: {goals(self.desk)[goal]}"))
        return RedirectResponse(self.link("", at=search.answer, note=f"found: {goals(self.desk)[goal]}"))

    def stop(self, place: Place, query: Mapping[str, str]) -> Response:
        """Stop the search."""
        self.searches.stop()
        return RedirectResponse(self.link("", at=written(place.choices), note="the search was stopped"))


def groups(place: Place) -> dict[str, list[Option]]:
    """Return what can be chosen, by who acts; faults apart."""
    found: dict[str, list[Option]] = {}
    several = len(place.state.units) > 1
    for option in place.options:
        step = option.step
        who = "faults" if step.event.fault else step.event.actor
        of = f", shard {step.unit}" if several and step.unit is not None else ""
        found.setdefault(f"{who}{of if who != 'faults' else ''}", []).append(option)
    return dict(sorted(found.items(), key=lambda item: item[0] == "faults"))


def budget(place: Place, i: int) -> int:
    """Return how often the fault of this number may still strike."""
    shared = place.state.shared
    return int(min(shared.limits.caps[i] - shared.struck[i], shared.limits.faults - sum(shared.struck)))


def changes(place: Place, option: Option) -> list[str]:
    """Return what a choice would change."""
    described = place.desk.machine.describe(place.state, option.step) or StepDescription()
    return [change_line(Change(*change)) for change in described.changed]
