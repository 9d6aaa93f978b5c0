"""The knobs form of the console, filled in."""

KNOBS = {
    "admit_per_second": 25,
    "max_inside": 800,
    "pass_seconds": 300,
    "pass_max_seconds": 1800,
    "claim_seconds": 60,
    "absence_seconds": 300,
    "capacity": 50000,
    "queues_per_person": 1,
    "mode": "draw",
    "stock_factor": "",
    "why": "faster",
}
