"""For all tests: Hypothesis has no deadline, since how long an example takes says more of the machine than of the code."""

from hypothesis import settings

settings.register_profile("ebbtide", deadline=None)
settings.load_profile("ebbtide")
