from waiting_queue.views.colours import colours
from waiting_queue.views.draws import draw, draw_file
from waiting_queue.views.lines import appeal, claim, leave, line
from waiting_queue.views.parties import join_party, party
