import { z } from 'zod';
import type { Contact, ContactOrder, ContactSearch, ContactSort } from '../../../../domain/messaging/contacts/contacts.ts';
import { type CanTextOf, findCanText } from '../../../../domain/messaging/recipients/can-text.ts';
import type { Tx } from '../../../../domain/tx.ts';
import { writePhone } from '../../../../domain/values/phone-numbers.ts';
import { alsoNamed, filterNames, sameAs } from '../../../../http/input/query.ts';
import { withChecks } from '../../../../http/wire/checked-shapes.ts';
import { id, instant, optional, pagingByPosition, text, updatedSince } from '../../../../http/wire/wire-types.ts';
import { CanTextShape, fromCanText } from '../../can-text.wire.ts';
import { fromPerson, SharedWithShape } from '../../people/people.wire.ts';
import { one, sortBy, wrapList } from '../../shared.wire.ts';

export const ContactShape = z
  .strictObject({
    uuid: z.int(),
    patient_uuid: z.int().nullable().describe('Patient id, equal to uuid; null for a number that belongs to no patient'),
    firstname: z.string().nullable(),
    lastname: z.string().nullable(),
    phone_no: z.string().nullable().describe('For a patient, the mobile number; ten digits if North American, else E.164'),
    home_phone: z.string().nullable(),
    work_phone: z.string().nullable(),
    email: z.string().nullable(),
    can_text: CanTextShape,
    shared_with: SharedWithShape,
    tags: z
      .array(
        z.strictObject({
          uuid: z.int(),
          name: z.string(),
          color: z.string(),
          contact_contact_tag_uuid: z.int().describe('Id of the link; delete it to remove the tag'),
        }),
      )
      .describe('By name'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'Contact' });

export const ContactResponse = one(ContactShape).meta({ id: 'ContactResponse' });
export const ContactList = wrapList(ContactShape).meta({ id: 'ContactList' });

const FIELDS = { lastname: 'lastName', firstname: 'firstName', title: 'lastName', uuid: 'id', id: 'id' } as const satisfies Record<
  string,
  ContactOrder
>;

export const contactsQuery = withChecks(
  z.object({
    search: optional(text(200)).describe(
      'Start of a last or first name, of both in either order, or of a telephone number (six digits or more)',
    ),
    keyword: sameAs(optional(text(200)), 'search'),
    name: sameAs(optional(text(200)), 'search'),
    phone: sameAs(optional(text(200)), 'search'),
    contact_tag_uuid: alsoNamed(optional(id()), ...filterNames('contact_tag')).describe('Contact tag id'),
    ...updatedSince,
    ...sortBy(FIELDS),
    ...pagingByPosition,
  }),
  {
    same: [
      ['search', 'keyword'],
      ['search', 'name'],
      ['search', 'phone'],
    ],
  },
);
export const contactParams = z.object({ id: id().describe('Contact id') });

export function toContactSort({ sort, order }: z.output<typeof contactsQuery>): ContactSort {
  return { order: sort, descending: order === 'DESC' };
}

export function toContactSearch({
  contact_tag_uuid: tagId,
  updated_since: updatedSince,
  ...query
}: z.output<typeof contactsQuery>): ContactSearch {
  const given = (['search', 'keyword', 'name', 'phone'] as const).find((name) => query[name]) ?? 'search';
  return { text: query[given] ?? undefined, field: given, tagId: tagId ?? undefined, updatedSince };
}

/** @returns whether texts to these contacts would leave */
export const findCanTextOfContacts = (tx: Tx, contacts: readonly Contact[]): Promise<CanTextOf> =>
  findCanText(tx, {
    patientIds: contacts.map(({ patient_id }) => patient_id),
    numbers: contacts.filter(({ patient_id }) => patient_id === null).map(({ phone }) => phone),
  });

/** One contact with whether a text to it would leave. */
export const showContact = async (tx: Tx, contact: Contact) => ({
  data: fromContact(contact, await findCanTextOfContacts(tx, [contact])),
});

export function fromContact(contact: Contact, canText: CanTextOf): z.input<typeof ContactShape> {
  return {
    uuid: contact.id,
    patient_uuid: contact.patient_id,
    firstname: contact.first_name,
    lastname: contact.last_name,
    phone_no: writePhone(contact.phone),
    home_phone: writePhone(contact.home_phone),
    work_phone: writePhone(contact.work_phone),
    email: contact.email,
    can_text: fromCanText(contact.patient_id === null ? canText.number(contact.phone) : canText.patient(contact.patient_id)),
    shared_with: contact.sharedWith.map(fromPerson),
    tags: contact.tags.map(({ id: uuid, name, color, linkId }) => ({ uuid, name, color, contact_contact_tag_uuid: linkId })),
    created_at: contact.created_at,
    updated_at: contact.updated_at,
  };
}
