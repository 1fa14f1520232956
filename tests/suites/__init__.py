"""Development suites: vaults generated from templates whose halves differ, what is asked of them, and how it is scored.

Half A was looked at while recall was written; half B is only measured. Both are generated, so neither replaces notes of people.
"""
