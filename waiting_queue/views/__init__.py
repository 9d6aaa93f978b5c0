from waiting_queue.views.draws import draw, draw_file
from waiting_queue.views.lines import claim, leave, line

__all__ = ["claim", "draw", "draw_file", "leave", "line"]
