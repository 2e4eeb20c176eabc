import { statement } from '../../../database/statements/statement.ts';
import { maySeeRestricted } from '../../caller.ts';
import { invalid } from '../../errors.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import { whereVisibleChart } from '../../patients/restrictions/restricted-charts.sql.ts';
import type { Tx } from '../../tx.ts';
import { isEmail } from '../../values/email-addresses.ts';
import { readPhone } from '../../values/phone-numbers.ts';
import type { ContactKey } from '../contacts/contacts.ts';
import { findHolders } from '../contacts/number-holders.ts';
import { findSuppressionReason, isOptedOut } from '../recipients/consent.ts';

export interface Address {
  channel: 'sms' | 'email';
  /** E.164, or an email address. */
  to: string;
}

/** Recipient of a message, as far as the record knows them. */
export interface Recipient {
  firstName: string | null;
  lastName: string | null;
  /** Mobile number first. */
  addresses: Address[];
}

/** Parses a mobile number or email address. @throws Failure naming the field */
export function parseAddress(written: string, field: string): Address {
  const text = written.trim();
  if (text.includes('@')) {
    if (!isEmail(text)) throw invalid(field, 'must be an email address', 'invalid_email');
    return { channel: 'email', to: text };
  }
  const number = readPhone(text);
  if (number === null) throw invalid(field, 'must be a mobile number such as 9105550123, or an email address', 'invalid_address');
  return { channel: 'sms', to: number };
}

/** The patients who have a mail address. Values: organization, address, whether restricted charts may be seen. */
const HOLDERS_OF_ADDRESS = statement<{ id: number }>(
  'holders_of_address',
  `SELECT p.id FROM patient p WHERE p.organization_id = $1 AND lower(p.email) = lower($2::text) AND ${whereVisibleChart('p', '$3')} LIMIT 2`,
);

/** The one patient who has a number or an address now; undefined where nobody has it, or several do. */
export async function findOnlyHolder(tx: Tx, sentTo = ''): Promise<number | undefined> {
  const number = readPhone(sentTo.trim());
  const holders = sentTo.includes('@')
    ? await tx.rows(HOLDERS_OF_ADDRESS, [sentTo.trim(), maySeeRestricted(tx)])
    : await findHolders(tx, number === null ? [] : [number]);
  return holders.length === 1 ? holders[0]?.id : undefined;
}

/** Name and addresses of a contact; a patient's are those by which the patient is reached. */
export async function findRecipient(tx: Tx, { id, patientId }: ContactKey): Promise<Recipient> {
  const name = { firstName: true, lastName: true, email: true } as const;
  const key = { where: tx.key(id) };
  const reach = patientId === null ? undefined : await findPatientReach(tx, patientId);
  if (reach) return toRecipient({ ...reach, phone: reach.mobilePhone });
  return toRecipient(await tx.prisma.contact.findUniqueOrThrow({ ...key, select: { ...name, phone: true } }));
}

interface Person {
  firstName: string | null;
  lastName: string | null;
  phone: string | null;
  email: string | null;
}

function toRecipient({ firstName, lastName, phone, email }: Person): Recipient {
  const sms: Address[] = phone ? [{ channel: 'sms', to: phone }] : [];
  const mail: Address[] = email ? [{ channel: 'email', to: email }] : [];
  return { firstName, lastName, addresses: [...sms, ...mail] };
}

interface Addressed {
  message: { contactId: number | null; patientId: number | null; channel: string; sentTo: string };
  toFormerNumber: boolean;
}

/**
 * Destinations for the one-time code of a message, best first. A known recipient gets it on the other channel than the
 * message, so that the link alone is useless in the wrong hands; else it goes where the message went, but to no number that was the
 * patient's. Leaves out destinations that must not be written to.
 */
export async function findCodeAddresses(tx: Tx, { message, toFormerNumber }: Addressed): Promise<Address[]> {
  const { contactId, patientId, channel, sentTo } = message;
  const known = contactId === null ? [] : (await findRecipient(tx, { id: contactId, patientId })).addresses;
  const own: Address = { channel: channel === 'email' ? 'email' : 'sms', to: sentTo };
  const same = toFormerNumber ? known.filter((other) => other.channel === own.channel) : [own];
  const candidates = [...known.filter((other) => other.channel !== own.channel), ...same];
  const open: Address[] = [];
  for (const address of candidates) if (await canReceive(tx, patientId, address)) open.push(address);
  return open;
}

/** Consent applies to requested codes too: people who opted out by text do not know who requested the code. */
export async function canReceive(tx: Tx, patientId: number | null, { channel, to }: Address): Promise<boolean> {
  if (patientId !== null && (await findSuppressionReason(tx, patientId, channel === 'sms' ? 'text' : 'mail')) !== null) return false;
  return channel === 'email' || ((await hasNumber(tx)) && !(await isOptedOut(tx, to)));
}

/** Whether the practice has a number to send texts from. */
export async function hasNumber(tx: Tx): Promise<boolean> {
  const where = { ...tx.practice, kind: 'plain', releasedAt: null, carrierId: { not: null } } as const;
  return (await tx.prisma.phoneNumber.findFirst({ where, select: { id: true } })) !== null;
}

/** Masks an address so that only its owner recognizes it: `•••-•••-0123`, `a•••@example.com`. */
export function maskAddress({ channel, to }: Address): string {
  if (channel === 'sms') return `•••-•••-${to.slice(-4)}`;
  const at = to.lastIndexOf('@');
  return `${[...to].slice(0, 1).join('')}•••${to.slice(at)}`;
}
