from ticketing.console.services.attention import Trouble, attention_for
from ticketing.console.services.history import history_of, last_figures, running_figures
from ticketing.console.services.piloting import fly, is_taken_over, switch_off, switch_on
from ticketing.console.services.preview import KNOBS, Preview, preview_of
from ticketing.console.services.reconciling import reconcile_day
from ticketing.console.services.roles import grant_roles
from ticketing.console.services.sampling import figures_now, sample_sales
from ticketing.console.services.second_factor import (
    check_code,
    finish_set_up,
    is_set_up,
    lacks_second_factor,
    new_phone,
)
