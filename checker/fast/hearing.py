"""From alarms in arrays to the docket: which states, and the steps from which, break a promise or show a witness."""

import numpy as np

from .arrays import Flags, Ids, Words, within
from .docket import Docket
from .stepping import Stepper, Steps

Cost = tuple[int, int]


class Hearing:
    """Listens to the alarms of one search; deaf to those that can change nothing any more."""

    def __init__(self, docket: Docket, stepper: Stepper) -> None:
        self.docket, self.stepper = docket, stepper
        self.deaf: Flags = np.ones(1, np.bool_)

    def close(self, cost: Cost) -> None:
        """Grow deaf to all that is settled, now that the bucket of this cost is done."""
        self.deaf = np.array(self.docket.deaf(*cost), np.bool_)

    def units(self, cost: Cost, words: Words, units: list[Words], unseen: Words) -> None:
        """Take note of the states with a new unit that breaks a promise."""
        alarms = self.stepper.units.alarms.array[unseen]
        for alarm in self.heard(alarms):
            bad = unseen[alarms == alarm]
            for column in units:
                self.state(alarm, cost, words, within(column, bad))

    def meetings(self, cost: Cost, words: Words, units: list[Words], shareds: Words) -> None:
        """Take note of the states in which a unit and the shared part together break a promise."""
        for column in units:
            alarms = self.stepper.meetings(shareds, self.stepper.units.stances.array[column])
            for alarm in self.heard(alarms):
                self.state(alarm, cost, words, alarms == alarm)

    def state(self, alarm: int, cost: Cost, words: Words, where: Flags) -> None:
        """Take note of states in which claims strike."""
        if alarm and where.any():
            self.docket.state(alarm, *cost, [words[where]])

    def heard(self, alarms: Ids) -> list[int]:
        """Return the different alarms that may still change what is known."""
        if not alarms.any():
            return []
        news = len(self.docket.questions.sets) - len(self.deaf)
        self.deaf = np.concatenate([self.deaf, np.zeros(news, np.bool_)])
        return [int(alarm) for alarm in np.unique(alarms[~self.deaf[alarms]])]

    def steps(self, cost: Cost, words: Words, steps: Steps, faults: Ids, alarms: Ids) -> None:
        """Take note of steps on which claims strike."""
        for alarm in self.heard(alarms):
            here = alarms == alarm
            for fault in np.unique(faults[here]).tolist():
                before = words[np.unique(steps.source[here & (faults == fault)])]
                self.docket.step(alarm, fault, cost, [before])
