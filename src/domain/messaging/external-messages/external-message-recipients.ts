import { z } from 'zod';
import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import { invalid } from '../../errors.ts';
import { readPhone } from '../../values/phone-numbers.ts';
import { findSuppressionReason, isOptedOut } from '../consent.ts';
import type { ContactKey } from '../contacts/contacts.ts';

/** Where somebody can be written to. */
export interface Address {
  channel: 'sms' | 'email';
  /** E.164, or a mail address. */
  to: string;
}

/** Whom a message is for, as far as the record knows. */
export interface Recipient {
  firstName: string | null;
  lastName: string | null;
  /** Those there are, the mobile number first. */
  addresses: Address[];
}

const MAX_ADDRESS_LENGTH = 254;
const mailAddress = z.email().max(MAX_ADDRESS_LENGTH);

/** An address as somebody wrote it. @throws Failure naming the field */
export function parseAddress(written: string, field: string): Address {
  const text = written.trim();
  if (text.includes('@')) {
    if (!mailAddress.safeParse(text).success) throw invalid(field, 'must be an email address', 'invalid_email');
    return { channel: 'email', to: text };
  }
  const number = readPhone(text);
  if (number === null) throw invalid(field, 'must be a mobile number such as 9105550123, or an email address', 'invalid_address');
  return { channel: 'sms', to: number };
}

/** A contact's name and addresses: of a patient those of the chart. */
export async function findRecipient(db: Db, { organizationId }: Caller, { id, patientId }: ContactKey): Promise<Recipient> {
  const name = { firstName: true, lastName: true, email: true } as const;
  const key = { where: { organizationId_id: { organizationId, id } } };
  if (patientId !== null) {
    const { mobilePhone, ...patient } = await db.patient.findUniqueOrThrow({ ...key, select: { ...name, mobilePhone: true } });
    return toRecipient({ ...patient, phone: mobilePhone });
  }
  return toRecipient(await db.contact.findUniqueOrThrow({ ...key, select: { ...name, phone: true } }));
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
  contactId: number | null;
  patientId: number | null;
  channel: string;
  sentTo: string;
}

/**
 * Where a one-time code for a message may go, the best first: to a known receiver by the other way than the message's, so
 * that its link alone, in wrong hands, opens nothing; else where the message went. Not where nobody may be written to.
 */
export async function findCodeAddresses(db: Db, caller: Caller, { contactId, patientId, channel, sentTo }: Addressed): Promise<Address[]> {
  const known = contactId === null ? [] : (await findRecipient(db, caller, { id: contactId, patientId })).addresses;
  const own: Address = { channel: channel === 'email' ? 'email' : 'sms', to: sentTo };
  const ways = [...known.filter((other) => other.channel !== own.channel), own];
  const open: Address[] = [];
  for (const way of ways) if (await canReceive(db, caller, patientId, way)) open.push(way);
  return open;
}

/** Somebody asked for the code; yet who wants no texts gets none, and who said so by one never knows who asked. */
async function canReceive(db: Db, caller: Caller, patientId: number | null, { channel, to }: Address): Promise<boolean> {
  if (patientId !== null && (await findSuppressionReason(db, caller, patientId, channel === 'sms' ? 'text' : 'mail')) !== null)
    return false;
  return channel === 'email' || ((await hasNumber(db, caller)) && !(await isOptedOut(db, caller, to)));
}

/** Whether the practice has a number to send texts from. */
async function hasNumber(db: Db, { organizationId }: Caller): Promise<boolean> {
  const where = { organizationId, kind: 'plain', releasedAt: null, carrierId: { not: null } } as const;
  return (await db.phoneNumber.findFirst({ where, select: { id: true } })) !== null;
}

/** As much of an address as its owner needs to know it by: `•••-•••-0123`, `a•••@example.com`. */
export function maskAddress({ channel, to }: Address): string {
  if (channel === 'sms') return `•••-•••-${to.slice(-4)}`;
  const at = to.lastIndexOf('@');
  return `${[...to].slice(0, 1).join('')}•••${to.slice(at)}`;
}
