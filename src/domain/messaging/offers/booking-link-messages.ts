import type { BookingLink } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { createSecretLink, type SecretLink } from '../../identity/secret-links.ts';
import type { Reach } from '../../patients/guardians/reach.ts';
import type { Tx } from '../../tx.ts';
import type { LinkOptions } from '../check-ins/check-ins.ts';
import type { TextFacts } from '../queue/queued-texts.sql.ts';
import { insertText } from '../queue/queued-texts.ts';
import { recipientLanguage } from '../recipients/recipient-language.ts';
import { queueMail } from '../sending/outgoing-mails.ts';
import { renderAutomaticMail, renderFrom } from '../templates/automatic-texts.ts';
import { patientNameValues, practiceValues, type WrittenFor } from '../templates/placeholder-values.ts';
import type { PlaceholderValues } from '../templates/placeholders.ts';
import { sealPlaceholders } from '../templates/sealed-placeholders.ts';
import { ACTIVE_TEMPLATE } from '../templates/templates.sql.ts';

/** The visits that patients may book at a link, and until when. */
export type NewBookingLink = Pick<BookingLink, 'patientId' | 'typeIds' | 'providerIds' | 'officeIds' | 'appointmentId' | 'expiresAt'>;

/** A link that was made a moment ago, whose address nobody sees again. */
export interface MadeLink {
  link: BookingLink;
  url: string;
}

export async function createBookingLink(
  tx: Tx,
  input: NewBookingLink,
  { origin }: Pick<LinkOptions, 'origin'>,
  { token, hash: linkHash }: SecretLink = createSecretLink(tx.organizationId),
): Promise<MadeLink> {
  const link = await tx.prisma.bookingLink.create({ data: { ...tx.practice, ...input, linkHash } });
  recordChange(tx, 'create', { name: 'booking_link.created', id: link.id }, [link.patientId]);
  return { link, url: `${origin}/b/${token}` };
}

/** Gives a link another secret, and notes that it is sent. */
export async function renewBookingLink(tx: Tx, id: number, { origin }: Pick<LinkOptions, 'origin'>): Promise<MadeLink> {
  const { token, hash: linkHash } = createSecretLink(tx.organizationId);
  const link = await tx.prisma.bookingLink.update({ where: tx.key(id), data: { linkHash, dueAt: null } });
  return { link, url: `${origin}/b/${token}` };
}

interface LinkMessage {
  category: 'waitlist-offer' | 'booking-link';
  channel: 'text' | 'email';
  facts: TextFacts;
  person: Reach;
  /** Beside those of the practice and the patient. */
  values(written: WrittenFor): PlaceholderValues;
  /** Nobody asked for this message. */
  automatic: boolean;
}

/** Sends a link to its patient: a text or a mail, which the link knows then. */
export async function sendBookingLink(
  tx: Tx,
  { link, url }: MadeLink,
  { category, channel, facts, person, values, automatic }: LinkMessage,
  { keyring }: Pick<LinkOptions, 'keyring'>,
): Promise<void> {
  const language = recipientLanguage(facts.patientLanguage, facts.practiceLanguage, person);
  const practice = practiceValues({ name: facts.practice, phone: facts.practicePhone ?? facts.sender });
  const occasion = {
    language,
    values: (written: WrittenFor) => ({ ...practice, ...patientNameValues(person), ...values(written) }),
    secrets: { url },
  };
  const [template = null] = await tx.rows(ACTIVE_TEMPLATE, [category]);
  const { asks: _, ...words } = renderFrom(template, tx, category, occasion);
  const { patientId } = link;
  const sealed = sealPlaceholders(keyring, { url });
  const sent =
    channel === 'text'
      ? { smsMessageId: insertText(tx, facts, { ...words, patientId, automatic, sealed }).id }
      : { mailMessageId: (await queueMail(tx, { patientId, ...renderAutomaticMail(category, occasion, words.body), sealed })).id };
  await tx.prisma.bookingLink.update({
    where: tx.key(link.id),
    data: { channel, ...sent },
    select: { id: true },
  });
}
