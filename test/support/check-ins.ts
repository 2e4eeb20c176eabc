import type { Prisma } from '../../src/generated/prisma/client.ts';
import { signedInUser } from './actors.ts';
import type { TestApp } from './app.ts';
import { createOrganization, createPatient } from './factories.ts';
import { addPhoneNumber, anyNumber } from './phone-numbers.ts';
import { fillSealedMessage } from './sealed-messages.ts';

/** Questions of every kind, as a survey type keeps them. */
export const everyKind = (itemId: number) => [
  { key: 'systolic', text: 'The upper number', kind: 'number', min: 60, max: 260, itemId },
  { key: 'symptom', text: 'Do you feel any of these?', kind: 'choice', choices: ['None', 'Headache'] },
  { key: 'feeling', text: 'How do you feel today?', kind: 'scale', min: 1, max: 5, minLabel: 'very bad', maxLabel: 'very good' },
  { key: 'slept', text: 'Did you sleep well?', kind: 'yes_no' },
  { key: 'note', text: 'Anything that we should know?', kind: 'text', required: false },
];

/** A database of tests. */
type Rows = Pick<TestApp, 'database'>;

/** A practice that owns a number and asks questions. */
export async function askingPractice(test: Rows, organization: Partial<Prisma.OrganizationUncheckedCreateInput> = {}) {
  const { prisma } = test.database;
  const { id: organizationId } = await createOrganization(prisma, {
    name: 'Hudson Family Practice',
    phone: '+19105550123',
    quietHoursStart: '00:00',
    quietHoursEnd: '00:00',
    ...organization,
  });
  await addPhoneNumber(prisma, { organizationId, number: anyNumber(), kind: 'plain', carrier: 'local', carrierId: 'PN-1' });
  const item = await prisma.item.create({ data: { organizationId, name: 'Systolic blood pressure', unit: 'mmHg' } });
  const survey = await createSurvey(test, organizationId, { questions: everyKind(item.id) });
  return { organizationId, item, survey };
}

/** The same, and somebody of it who signed in. */
export async function surveyingPractice(test: TestApp, organization: Partial<Prisma.OrganizationUncheckedCreateInput> = {}) {
  const practice = await askingPractice(test, organization);
  return { ...practice, person: await signedInUser(test, { organizationId: practice.organizationId }) };
}

export type Surveying = Awaited<ReturnType<typeof surveyingPractice>>;

export function createSurvey({ database }: Rows, organizationId: number, data: Partial<Prisma.SurveyTypeUncheckedCreateInput> = {}) {
  const questions = [{ key: 'feeling', text: 'How do you feel?', kind: 'text' }];
  return database.prisma.surveyType.create({ data: { organizationId, name: 'How are you?', questions, ...data } });
}

export const createRecipient = ({ database }: Rows, organizationId: number, data: Partial<Prisma.PatientUncheckedCreateInput> = {}) =>
  createPatient(database.prisma, { organizationId, firstName: 'Rosa', mobilePhone: anyNumber(), email: 'rosa@example.com', ...data });

/** The address of a check-in's page, out of what waits to leave: it stands nowhere else. */
export async function findLink({ database, keyring }: TestApp, organizationId: number, id: number): Promise<string> {
  const { text, mail } = await database.prisma.checkIn.findUniqueOrThrow({
    where: { organizationId_id: { organizationId, id } },
    include: { text: true, mail: true },
  });
  const words = fillSealedMessage(keyring, { text, mail });
  const [link] = /https?:\S+\/c\/\S+/.exec(words ?? '') ?? [];
  if (!link) throw new Error('the message has no link');
  return new URL(link).pathname;
}

/** A check-in that a user of the practice sent, and where its page is. */
export async function sentCheckIn(test: TestApp, { organizationId, survey, person }: Surveying, body: object = {}) {
  const recipient = await createRecipient(test, organizationId);
  const answer = await person
    .post('/checkin/send')
    .send({ message: 'How are you?', sms_email: 'sms', recipient_id: recipient.id, survey_type_id: survey.id, ...body });
  if (answer.status !== 201) throw new Error(`not sent: ${answer.status} ${answer.text}`);
  const id = Number(answer.body.data.uuid);
  return { id, recipient, path: await findLink(test, organizationId, id) };
}
