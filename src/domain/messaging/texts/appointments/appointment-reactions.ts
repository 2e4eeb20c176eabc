import type { Db } from '../../../../database/database.ts';
import type { Caller } from '../../../caller.ts';
import type { NewEvent } from '../../../journal.ts';
import { withdrawText } from '../sending/outgoing-texts.ts';
import { listWaitingTexts } from '../sending/stale-texts.ts';

/** Fields of an appointment that a text may name besides its start and its patient. */
const NAMED_FIELDS = ['typeId', 'typeOrganizationId', 'officeId', 'locationId', 'providerId', 'timeZone'];

/**
 * Withdraws the texts about a changed appointment that wait to be sent. What went out stays; its question is bound to the start that
 * it named, and is void at another one.
 */
export async function withdrawTexts(db: Db, caller: Caller, { name, id, changed = [], textsWait = true }: NewEvent): Promise<void> {
  if (!textsWait) return;
  const isReworded = changed.some((field) => NAMED_FIELDS.includes(field));
  if (name === 'appointment.changed' && !isReworded && !['patientId', 'status'].some((field) => changed.includes(field))) return;
  for (const text of await listWaitingTexts(db, caller, id)) {
    const reason = text.reason ?? (isReworded ? 'appointment_changed' : null);
    if (reason !== null) await withdrawText(db, caller, text.id, reason);
  }
}
