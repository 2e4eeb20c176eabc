import { ENCRYPTED, encryptIn } from '../../src/database/encryption/encrypted-columns.ts';
import { noticeMail } from '../../src/domain/messaging/external-messages/external-message-notices.ts';
import { recipientLanguage } from '../../src/domain/messaging/recipients/recipient-language.ts';
import { mailReference } from '../../src/domain/messaging/sending/outgoing-mails.ts';
import { later } from './dates.ts';
import type { People, Person } from './people.ts';
import { closedLink, cycle, inOrder } from './random.ts';
import { areaRandom, type Seeding } from './seeding.ts';

const DAY = 24 * 60;
const TAGS = [
  { name: 'Family', color: '#2e7d32' },
  { name: 'Pharmacy', color: '#1565c0' },
  { name: 'Needs interpreter', color: '#ad1457' },
  { name: 'VIP', color: '#f9a825' },
];
const STRANGERS = [
  { firstName: 'Elm Street', lastName: 'Pharmacy', email: 'elm.street.pharmacy@example.com' },
  { firstName: 'Lorna', lastName: 'Beckett', email: null },
  { firstName: null, lastName: null, email: null },
  { firstName: null, lastName: null, email: null },
];
/** The index of the withdrawn message. */
const WITHDRAWN = 4;
const SUBJECTS = ['Your test results', 'Care plan', 'Referral letter', 'Before your visit'];

/** Contacts of patients and strangers, their tags, and messages behind links. */
export async function seedContacts(seeding: Seeding, { active }: People): Promise<void> {
  const { tx, phone, organizationId } = seeding;
  const random = areaRandom(seeding, 'contacts');
  const tags = inOrder(
    await tx.contactTag.createManyAndReturn({ data: TAGS.map((tag) => ({ ...tag, organizationId })), select: { id: true } }),
  );
  // A patient's contact has the patient's id, and no name of its own.
  const known = active.map(({ id }) => ({ organizationId, id, patientId: id }));
  const strangers = STRANGERS.map((stranger) => ({ ...stranger, organizationId, patientId: null, phone: phone() }));
  const contacts = inOrder(await tx.contact.createManyAndReturn({ data: [...known, ...strangers] }));
  await tx.contactContactTag.createMany({
    data: contacts
      .filter(() => random.datatype.boolean(0.2))
      .flatMap(({ id: contactId }) =>
        random.helpers.arrayElements(tags, { min: 1, max: 2 }).map((tag) => ({ organizationId, contactId, contactTagId: tag.id })),
      ),
  });
  await seedExternalMessages(seeding, active.filter(({ email }) => email).slice(0, 10));
}

/** Some unread, some read, some expired, one withdrawn, every third with a code; each with its notification mail. */
async function seedExternalMessages(seeding: Seeding, receivers: Person[]): Promise<void> {
  const { tx, now, practice, organizationId, keyring, admin, staff } = seeding;
  const random = areaRandom(seeding, 'external messages');
  const messages = receivers.map((receiver, index) => {
    const createdAt = later(now, -(index * 5 + 1) * DAY);
    const withdrawnAt = index === WITHDRAWN ? later(createdAt, 20) : null;
    const totalViews = withdrawnAt === null ? random.number.int(4) : 0;
    return { receiver, createdAt, withdrawnAt, totalViews, expiresAt: later(createdAt, 14 * DAY), extraAuth: index % 3 === 0 };
  });
  const mails = inOrder(
    await tx.mailMessage.createManyAndReturn({
      data: messages.map(({ receiver: { id: patientId, email, languageCode }, createdAt, expiresAt, extraAuth }) => {
        const content = {
          practice,
          expiresAt,
          asksForCode: extraAuth,
          language: recipientLanguage(languageCode, null),
        };
        const { subject, body } = noticeMail(content);
        const sent = {
          state: 'sent' as const,
          attempts: 1,
          queuedAt: createdAt,
          sentAt: later(createdAt, 1),
          updatedAt: later(createdAt, 1),
        };
        return { organizationId, patientId, toAddress: email ?? '', subject, body, ...sent };
      }),
      select: { id: true, toAddress: true, subject: true, body: true, queuedAt: true },
    }),
  );
  await tx.localMail.createMany({
    data: mails.map(({ id, toAddress, subject, body, queuedAt }) => {
      const reference = mailReference({ organizationId, id });
      const arrived = body.replace('{{url}}', '(a link that is not kept: this message came with the demo)');
      return {
        toAddress,
        subject,
        fromName: practice.name,
        sentAt: later(queuedAt, 1),
        reference,
        body: encryptIn(keyring, ENCRYPTED.arrivedMail, { organizationId: null, row: reference }, arrived),
      };
    }),
  });
  await tx.externalMessage.createMany({
    data: messages.map(({ receiver: { id, firstName, lastName, email }, ...message }, index) => ({
      ...message,
      organizationId,
      contactId: id,
      patientId: id,
      channel: 'email',
      sentTo: email ?? '',
      mailMessageId: mails[index]?.id ?? null,
      receiverFirstName: firstName,
      receiverLastName: lastName,
      subject: cycle(SUBJECTS, index),
      message: `Dear ${firstName ?? 'patient'}, please read this message from ${practice.name}.`,
      displayCredentials: index % 2 === 0,
      linkHash: closedLink(),
      lastViewedAt: message.totalViews > 0 ? later(message.createdAt, 90 * message.totalViews) : null,
      createdByUserId: (staff[0] ?? admin).id,
    })),
  });
}
