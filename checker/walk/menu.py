"""What each unit proposes, kept up to date from step to step: only actions that read a changed part are asked again."""

from collections.abc import Iterable
from functools import cache

from model.machine import Action, Effect, Machine, Step, Unit

Proposals = dict[int, tuple[Step, ...]]
"""Steps by the number of their action; actions that propose nothing are left out."""
Menu = dict[str, dict[Effect, list[Step]]]
"""What a unit proposes, in the fixed order of the actions: by rule (the fault's name, else the action's), by effect."""


class Kitchen:
    """Makes menus of one machine's units."""

    def __init__(self, machine: Machine) -> None:
        self.actions = machine.actions
        self.looks = [[machine.place[name] for name in action.reads] for action in machine.actions]
        self.readers = cache(self.find_readers)

    def find_readers(self, changed: tuple[int, ...]) -> tuple[int, ...]:
        """Return the actions that read any of the parts at these places."""
        return tuple(n for n, look in enumerate(self.looks) if set(look) & set(changed))

    def asked(self, n: int, unit: Unit) -> tuple[Step, ...]:
        """Ask one action."""
        return self.actions[n].steps(*[unit[i] for i in self.looks[n]])

    def propose(self, unit: Unit) -> Proposals:
        """Ask every action."""
        every = ((n, self.asked(n, unit)) for n in range(len(self.actions)))
        return {n: steps for n, steps in every if steps}

    def propose_again(self, old: Proposals, before: Unit, unit: Unit) -> Proposals:
        """Ask the actions that read what changed; the others propose what they did."""
        changed = tuple(i for i, part in enumerate(unit) if part is not before[i] and part != before[i])
        proposals = dict(old)
        for n in self.readers(changed):
            proposals[n] = self.asked(n, unit)
        return {n: steps for n, steps in sorted(proposals.items()) if steps}

    def menu(self, proposals: Proposals) -> Menu:
        """Write the proposals out by rule."""
        menu: Menu = {}
        for n, steps in proposals.items():
            for step in steps:
                rule = step.event.fault or self.actions[n].name
                menu.setdefault(rule, {}).setdefault(step.effect, []).append(step)
        return menu


def names(actions: Iterable[Action]) -> tuple[str, ...]:
    """Return the actions' names, each once, in order."""
    return tuple(dict.fromkeys(action.name for action in actions))
