import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { Caller } from '../../caller.ts';
import type { NewEvent } from '../../journal.ts';
import { withdrawText } from '../sending/outgoing-texts.ts';
import { listWaitingTexts } from '../sending/stale-texts.ts';
import { CLOSE_FORMER_QUESTIONS } from './confirmation-questions.sql.ts';

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

/** A question ends with its number: who gets the number back has not confirmed what was asked before. */
export async function closeFormerQuestions(db: Db, { organizationId }: Caller, { id }: NewEvent): Promise<void> {
  await preparedIn(db).rows(CLOSE_FORMER_QUESTIONS, [organizationId, id]);
}
