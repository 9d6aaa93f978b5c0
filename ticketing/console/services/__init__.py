from ticketing.console.services.alerts import Alert, alerts_for
from ticketing.console.services.approvals import (
    approve,
    may_answer,
    refuse,
    roles_that_may_answer,
)
from ticketing.console.services.audit_export import record_audit_export
from ticketing.console.services.autopilot import (
    disable_autopilot,
    enable_autopilot,
    is_overridden,
    run_autopilots,
)
from ticketing.console.services.autopilot_rules import AutopilotBounds
from ticketing.console.services.evidence import export_evidence
from ticketing.console.services.history import latest_figures, running_figures, sample_history
from ticketing.console.services.knob_preview import KNOBS, KnobPreview, preview_knobs
from ticketing.console.services.reconciliations import (
    reconcile_day,
    request_reconciliation,
    start_reconciliation,
)
from ticketing.console.services.roles import grant_roles
from ticketing.console.services.samples import current_figures, sample_sales
from ticketing.console.services.site_metrics import SiteMetrics
from ticketing.console.services.watchers import require_watcher
