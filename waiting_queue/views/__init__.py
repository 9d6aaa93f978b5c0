from waiting_queue.views.draws import draw, draw_file
from waiting_queue.views.lines import appeal, claim, leave, line
