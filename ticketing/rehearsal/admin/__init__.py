from ticketing.rehearsal.admin.rehearsals import RehearsalAdmin

__all__ = ["RehearsalAdmin"]
