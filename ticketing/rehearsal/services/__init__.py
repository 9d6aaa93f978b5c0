from ticketing.rehearsal.services.cleanup import (
    clean_up_forgotten,
    clean_up_rehearsal,
    stop_rehearsal,
)
from ticketing.rehearsal.services.demo_crowd import CrowdMember, make_crowd, slow_sale
from ticketing.rehearsal.services.people import make_people
from ticketing.rehearsal.services.rehearsals import start_rehearsal
from ticketing.rehearsal.services.reports import complete_journal, final_facts, save_report
from ticketing.rehearsal.services.runner_contact import running_rehearsal
from ticketing.rehearsal.services.runner_process import run_gently, start_runner
from ticketing.rehearsal.services.sale import MOVES, move_sale, set_gateway_behaviour, set_knobs
from ticketing.rehearsal.services.tokens import mint_superuser_token, mint_token
