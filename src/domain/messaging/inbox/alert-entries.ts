import { recordChange } from '../../audit/journal-entries.ts';
import type { Tx } from '../../tx.ts';
import { notifyAgain, startEscalation } from './escalation.ts';

interface AlertEntry {
  /** Of the alert. */
  id: number;
  patientId: number;
  /** The chart is restricted or blocked. */
  restricted: boolean;
  urgent: boolean;
}

/** The open item of a conversation after alerts have joined it. */
interface JoinedItem {
  id: number;
  patientId: number;
  entryCount: number;
  /** Somebody else is notified after the next period. */
  escalates: boolean;
}

/**
 * Adds alerts to the open items of their patients' conversations, or opens items, with as many statements for a thousand as for one. An
 * alert notifies people by itself, so no escalation of the inbox begins; except for a restricted or blocked chart, whose alert is shown
 * to nobody: the item, which does not name the patient, waits like any other, and each request with such alerts notifies people of it, also
 * where the item waits already.
 * @param chatId call group whose work they are; null: the whole practice's
 */
export async function addAlertEntries(tx: Tx, alerts: readonly AlertEntry[], chatId: number | null): Promise<void> {
  const items = await upsertOpenItems(tx, alerts, chatId);
  const itemsByPatient = new Map(items.map((item) => [item.patientId, item]));
  const joined = alerts.flatMap(({ id, patientId, restricted }) => {
    const item = itemsByPatient.get(patientId);
    return item ? [{ alertId: id, itemId: item.id, restricted, escalates: item.escalates }] : [];
  });
  const entries = await tx.prisma.$queryRaw<{ id: number; alertId: number }[]>`
    INSERT INTO inbox_entry (organization_id, inbox_item_id, kind, subject_type, subject_id)
    SELECT ${tx.organizationId}::int, n.item_id, 'alert', 'monitoring_alert', n.alert_id
      FROM unnest(${joined.map(({ itemId }) => itemId)}::bigint[], ${joined.map(({ alertId }) => alertId)}::bigint[])
           WITH ORDINALITY AS n (item_id, alert_id, position)
     ORDER BY n.position
    RETURNING id, subject_id AS "alertId"`;
  const counts = Map.groupBy(alerts, ({ patientId }) => patientId);
  for (const { id, patientId, entryCount } of items) {
    const isNew = entryCount === counts.get(patientId)?.length;
    if (isNew) recordChange(tx, 'create', { name: 'inbox_item.opened', id }, [patientId]);
    else recordChange(tx, 'update', { name: 'inbox_item.joined', id, changed: ['entries'] }, [patientId]);
  }
  const entryIds = new Map(entries.map(({ id, alertId }) => [alertId, id]));
  const unseen = new Map(joined.filter(({ restricted }) => restricted).map((one) => [one.itemId, one]));
  for (const { itemId: id, alertId, escalates } of unseen.values()) {
    const entryId = entryIds.get(alertId);
    if (entryId !== undefined) await (escalates ? notifyAgain : startEscalation)(tx, { id, entryId });
  }
}

/** As upsertOpenItem of inbox.ts, of several conversations in the order of their patients. */
function upsertOpenItems(tx: Tx, alerts: readonly AlertEntry[], chatId: number | null): Promise<JoinedItem[]> {
  return tx.prisma.$queryRaw<JoinedItem[]>`
    INSERT INTO inbox_item AS i (organization_id, chat_id, contact_id, patient_id, latest_at, entry_count, urgent)
    SELECT ${tx.organizationId}::int, ${chatId}::int, n.patient_id, n.patient_id, now(), count(*)::int, bool_or(n.urgent)
      FROM unnest(${alerts.map(({ patientId }) => patientId)}::int[], ${alerts.map(({ urgent }) => urgent)}::boolean[])
           AS n (patient_id, urgent)
     GROUP BY n.patient_id ORDER BY n.patient_id
        ON CONFLICT (organization_id, coalesce(chat_id, 0), contact_id) WHERE closed_at IS NULL AND contact_id IS NOT NULL
        DO UPDATE SET entry_count = i.entry_count + excluded.entry_count, latest_at = greatest(i.latest_at, excluded.latest_at),
                      urgent = i.urgent OR excluded.urgent, acknowledged_at = NULL, acknowledged_by_user_id = NULL
    RETURNING i.id, i.patient_id AS "patientId", i.entry_count AS "entryCount", i.escalate_at IS NOT NULL AS escalates`;
}
