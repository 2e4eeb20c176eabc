import type { Faker } from '@faker-js/faker';
import { purchaseReference } from '../../src/domain/messaging/numbers/number-orders.ts';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import { later } from './dates.ts';
import type { People } from './people.ts';
import { cycle, drawn, inOrder, perhaps } from './random.ts';
import { areaRandom, type Seeding } from './seeding.ts';

const DAY = 24 * 60;
const CALLS = 60;

interface OwnedNumber {
  id: number;
  number: string;
  chatId: number | null;
}

const TRANSCRIPTS = [
  'Hello, this is a call for the doctor on duty. My daughter has had a fever since last night, please call back.',
  'I am running ten minutes late for my appointment.',
  'The pharmacy says that my refill was not approved yet. Could somebody look into it? Thank you.',
  'Hi, I would like to move my visit to next week.',
];

/** Call groups with their members, the practice's telephone numbers, and what came in on them. */
export async function seedNumbers(seeding: Seeding, people: People): Promise<void> {
  const { tx, plan, phone, organizationId, now, offices } = seeding;
  const chatIds = await seedChats(seeding);
  const [frontDesk, onCall] = [cycle(chatIds, 0), cycle(chatIds, 1)];
  const number = (kind: 'plain' | 'fax' | 'voice_pager', chatId: number | null, known?: string | null) => ({
    organizationId,
    kind,
    chatId,
    number: known ?? phone(),
    carrier: 'local',
    carrierId: `PN-${plan.key}-${kind}-${chatId ?? 'none'}`,
  });
  const { phone: office, fax } = cycle(offices, 0);
  const numbers = inOrder(
    await tx.phoneNumber.createManyAndReturn({
      data: [
        number('plain', frontDesk, office),
        number('plain', onCall),
        number('plain', null),
        number('fax', frontDesk, fax),
        number('voice_pager', onCall),
        // Released in error an hour ago: it can still be taken back.
        { ...number('fax', onCall), state: 'releasing', releasesAt: later(now, 23 * 60) },
      ],
      select: { id: true, number: true, chatId: true },
    }),
  );
  const held = numbers.map((each) => ({ organizationId, phoneNumberId: each.id, number: each.number }));
  // A trigger has done so where all tables are on one machine.
  await tx.heldNumber.createMany({ data: held, skipDuplicates: true });
  const [plain, , , , pager] = numbers;
  await bookAtCarrier(seeding);
  if (!plain || !pager) return;
  const random = areaRandom(seeding, 'calls');
  await tx.incomingCall.createMany({ data: calls(seeding, people, random, plain) });
  await tx.voicePagerMessage.createMany({ data: voiceMessages(seeding, people, random, pager) });
}

/** The local carrier knows the numbers as sold. */
async function bookAtCarrier({ tx, organizationId }: Seeding): Promise<void> {
  const owned = await tx.phoneNumber.findMany({ where: { organizationId }, select: { id: true, number: true, carrierId: true } });
  await tx.carrierNumber.createMany({
    data: owned.flatMap(({ id, number, carrierId }) =>
      carrierId === null ? [] : [{ id: carrierId, number, reference: purchaseReference({ organizationId, id }) }],
    ),
  });
}

/** @returns the ids of the groups: front desk, on call */
async function seedChats({ tx, organizationId, admin, staff, clinicians }: Seeding): Promise<number[]> {
  const chats = inOrder(
    await tx.chat.createManyAndReturn({
      data: ['Front Desk', 'On Call', 'Nurses'].map((name) => ({ organizationId, name })),
      select: { id: true },
    }),
  );
  const doctors = clinicians.flatMap(({ userId }) => userId ?? []);
  const desk = staff.map(({ id }) => id);
  const members = [[...desk, admin.id], doctors, [...desk.slice(0, 1), ...doctors.slice(-1)]];
  await tx.chatMember.createMany({
    data: chats.flatMap(({ id: chatId }, chat) =>
      cycle(members, chat).map((userId, index) => ({ organizationId, chatId, userId, ringOrder: index + 1 })),
    ),
  });
  return chats.map(({ id }) => id);
}

/** The number of a caller, and the patient whose it is; a stranger's without a patient or the patient's number. */
const toCaller = (patient: { id: number; mobilePhone?: string | null } | null, phone: () => string) =>
  patient?.mobilePhone ? { fromNumber: patient.mobilePhone, patientId: patient.id } : { fromNumber: phone() };

function calls(
  { now, plan, phone, organizationId }: Seeding,
  { active }: People,
  random: Faker,
  line: OwnedNumber,
): Prisma.IncomingCallCreateManyInput[] {
  return Array.from({ length: CALLS }, (_, index) => {
    const startedAt = later(now, -Math.round((CALLS - index) * 0.7 * DAY) + random.number.int(300));
    const status = drawn(random, { completed: 7, 'no-answer': 2, busy: 1 });
    const patient = random.helpers.arrayElement(active);
    return {
      organizationId,
      phoneNumberId: line.id,
      chatId: line.chatId,
      carrierCallId: `CA-${plan.key}-${index + 1}`,
      ...toCaller(index % 10 === 9 ? null : patient, phone),
      toNumber: line.number,
      status,
      startedAt,
      endedAt: later(startedAt, status === 'completed' ? random.number.int({ min: 1, max: 15 }) : 0.5),
    };
  });
}

function voiceMessages(
  { now, plan, phone, organizationId }: Seeding,
  { active }: People,
  random: Faker,
  pager: OwnedNumber,
): Prisma.VoicePagerMessageCreateManyInput[] {
  return Array.from({ length: 12 }, (_, index) => ({
    organizationId,
    phoneNumberId: pager.id,
    chatId: pager.chatId,
    carrierId: `VM-${plan.key}-${index + 1}`,
    ...toCaller(cycle(active, index * 7), phone),
    transcript: perhaps(random, 0.85, cycle(TRANSCRIPTS, index)),
    durationSeconds: random.number.int({ min: 6, max: 90 }),
    receivedAt: later(now, -(12 - index) * 2 * DAY - random.number.int(600)),
  }));
}
