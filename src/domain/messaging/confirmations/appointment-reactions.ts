import type { NewEvent } from '../../journal.ts';
import type { Tx } from '../../tx.ts';
import { withdrawText } from '../sending/outgoing-texts.ts';
import { listWaitingTexts } from '../sending/stale-texts.ts';
import { CLOSE_FORMER_QUESTIONS } from './confirmation-questions.sql.ts';

/** Fields of an appointment that a text may name besides its start and its patient. */
const NAMED_FIELDS = ['typeId', 'typeOrganizationId', 'officeId', 'locationId', 'providerId', 'timeZone'];

/**
 * Withdraws the texts about a changed appointment that wait to be sent. What went out stays; its question is bound to the start that
 * it named, and is void at another one.
 */
export async function withdrawTexts(tx: Tx, { name, id, changed = [], textsWait = true }: NewEvent): Promise<void> {
  if (!textsWait) return;
  const isReworded = changed.some((field) => NAMED_FIELDS.includes(field));
  if (name === 'appointment.changed' && !isReworded && !['patientId', 'status'].some((field) => changed.includes(field))) return;
  for (const text of await listWaitingTexts(tx, id)) {
    const reason = text.reason ?? (isReworded ? 'appointment_changed' : null);
    if (reason !== null) await withdrawText(tx, text.id, reason);
  }
}

/** A question ends with its number: who gets the number back has not confirmed what was asked before. */
export async function closeFormerQuestions(tx: Tx, { id }: NewEvent): Promise<void> {
  await tx.rows(CLOSE_FORMER_QUESTIONS, [id]);
}
