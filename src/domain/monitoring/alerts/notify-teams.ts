import { notifyOfEach } from '../../notifications/notifications.ts';
import type { Tx } from '../../tx.ts';
import { findCareTeams } from './alert-team.ts';
import type { RaisedAlert } from './new-alerts.ts';
import { textTeam } from './team-texts.ts';

/** The kind of alerts among the subjects of notifications and entries of the inbox. */
export const ALERT = 'monitoring_alert';

/**
 * Notifies the care team of each patient: in the list and stream of their notifications and by push of each alert, and by text, if set,
 * once for all of them.
 */
export async function notifyTeams(tx: Tx, alerts: readonly RaisedAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  const teams = await findCareTeams(
    tx,
    alerts.map(({ patientId }) => patientId),
  );
  const recipients = alerts.flatMap(({ id, patientId, severity }) =>
    (teams.get(patientId) ?? []).map(({ userId, texts }) => ({ subjectId: id, userId, texts, severity })),
  );
  await notifyOfEach(tx, { kind: 'monitoring_alert.opened', subjectType: ALERT, recipients });
  await textTeam(tx, recipients);
}
