import type { Db } from '../../../../database/database.ts';
import type { Caller } from '../../../caller.ts';
import type { NewEvent } from '../../../journal.ts';
import type { InEachLanguage } from '../../../values/languages.ts';
import { queueMail } from '../../outgoing-mails.ts';
import { recipientLanguage } from '../../recipient-language.ts';
import { nameInSubject } from '../../templates/placeholder-values.ts';
import { callbackNumber } from '../sending/callback-number.ts';
import { findTextFacts, insertText } from '../sending/queued-texts.ts';
import { findLabels } from './appointment-labels.ts';
import { endOnce, REPLY_WORDS } from './confirmation-replies.ts';

const WORDS: InEachLanguage<{ subject(practice: string): string; moved(was: string, now: string): string }> = {
  en: { subject: (practice) => `Your visit at ${practice}`, moved: (was, now) => `The visit on ${was} was moved to ${now}.` },
  es: { subject: (practice) => `Su cita en ${practice}`, moved: (was, now) => `La cita del ${was} se cambió al ${now}.` },
};

/**
 * Tells the patient of a visit that it was moved or cancelled, if that was asked for or the practice has set so. Nothing is said of a
 * visit without a date or one that had begun, to a patient who is no longer the visit's, and in a text without a number to send it from.
 */
export async function tellOfChange(db: Db, caller: Caller, { name, id, notice, changed = [] }: NewEvent): Promise<void> {
  const { channel = 'none', patientId = null, startedAt = null } = notice ?? {};
  if (channel === 'none' || patientId === null || startedAt === null || changed.includes('patientId')) return;
  const facts = await findTextFacts(db, caller, { patientId, appointmentId: id });
  const { practice, sender, startsAt, now } = facts;
  if (facts.gone || (startsAt ?? startedAt) <= now) return;
  const { own: language } = recipientLanguage(facts.patientLanguage, facts.practiceLanguage);
  const labels = await findLabels(db, caller, [id], facts.mobilePhone ?? '');
  const visit = labels(language, [{ appointmentId: id, toldStart: startedAt }]).get(id);
  if (!visit) return;
  const isMoved = name === 'appointment.moved' && startsAt !== null;
  const words = REPLY_WORDS[language];
  const said = isMoved ? WORDS[language].moved(visit.was, visit.now) : words.changed.cancelled(startsAt === null ? visit.was : visit.now);
  const phone = facts.practicePhone ?? sender;
  const body = endOnce([`${practice}:`, said, ...(phone === null ? [] : [words.call(callbackNumber({ phone }, phone))])].join(' '));
  if (channel === 'email') await queueMail(db, caller, { patientId, subject: WORDS[language].subject(nameInSubject(practice)), body });
  // The notice of a cancellation stays true; that of a move, until the next one.
  else if (sender !== null) insertText(db, caller, facts, { patientId, body, language, appointmentId: id, ...(!isMoved && { named: [] }) });
}
