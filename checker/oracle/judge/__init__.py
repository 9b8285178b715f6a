"""The one judge: guards of acceptances and conditions of refusals, over one state of a run."""
