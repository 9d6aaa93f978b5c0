from ticketing.rehearsal.admin.rehearsals import RehearsalAdmin
