from ticketing.rehearsal.services.clearing import clean_up, clean_up_forgotten, stop
from ticketing.rehearsal.services.hearing import rehearsal_heard
from ticketing.rehearsal.services.moving import MOVES, make_weather, move, turn_knobs
from ticketing.rehearsal.services.people import make_people
from ticketing.rehearsal.services.reporting import facts, keep_report, whole_journal
from ticketing.rehearsal.services.running import run_in_background
from ticketing.rehearsal.services.starting import mint_token, start
