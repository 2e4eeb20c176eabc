import { z } from 'zod';
import { addContacts } from '../../messaging/contacts/add-contacts.ts';
import { readPhone } from '../../values/phone-numbers.ts';
import { inRounds } from '../rounds.ts';
import { email, optional, read, required, text } from '../rows/cells.ts';
import { defineKind } from './kind.ts';

const cells = z
  .object({
    phone: required(read(readPhone, 'must be a telephone number, such as 919-555-0123 or +44 20 7946 0000')),
    firstName: optional(text(100)),
    lastName: optional(text(100)),
    email: optional(email()),
  })
  .refine(({ firstName, lastName, email: address }) => firstName || lastName || address, {
    path: ['lastName'],
    error: 'is missing: a contact needs a name or an email address in addition to its number',
  });

export const contacts = defineKind({
  cells,
  words: { phone: ['phone_no', 'number', 'mobilephone'], firstName: ['fname'], lastName: ['lname'] },
  store: (tx, rows) =>
    inRounds(
      rows,
      ({ values }) => [values.phone],
      async (round) => {
        const stored = await addContacts(
          tx,
          round.map(({ values, decision }) => ({ ...values, replaces: decision === 'update' })),
        );
        return stored.map((outcome) => ({ outcome }));
      },
    ),
});
