import { recordRead } from '../../audit/journal-entries.ts';
import type { PracticeTx, Tx } from '../../tx.ts';

interface EntrySubject {
  subjectType: string;
  subjectId: number;
}

export interface EntryWords {
  /** Of a text its body, of a mail its subject, of a voice message its transcript, of an alert or a check-in what was measured or answered. */
  words: string | null;
  /** The appointment that a text answered. */
  appointmentId: number | null;
  /** Of a text. */
  pictures: number;
}

/**
 * The words of entries, by type and id of their subjects (`text 12`): of a text its body, of a mail its subject, of a voice message its transcript, of an alert
 * what was measured or answered, of a check-in what was measured. Audits the records that they are read from.
 */
export async function readWords(tx: Tx, entries: readonly EntrySubject[]): Promise<Map<string, EntryWords>> {
  const found = new Map<string, EntryWords>();
  for (const [type, read] of Object.entries(READERS)) {
    const ids = entries.flatMap(({ subjectType, subjectId }) => (subjectType === type ? subjectId : []));
    if (ids.length === 0) continue;
    recordRead(tx, type, ids);
    for (const { id, words, appointmentId = null, pictures = 0 } of await read(tx, ids))
      found.set(`${type} ${id}`, { words, appointmentId, pictures });
  }
  return found;
}

type Reader = (
  tx: PracticeTx,
  ids: number[],
) => Promise<{ id: number; words: string | null; appointmentId?: number | null; pictures?: number }[]>;

const READERS: Record<string, Reader> = {
  text: async (tx, ids) => {
    const where = { ...tx.practice, id: { in: ids } };
    const texts = await tx.prisma.smsMessage.findMany({
      where,
      select: { id: true, body: true, appointmentId: true, pictures: { select: { id: true } } },
    });
    return texts.map(({ id, body, appointmentId, pictures }) => ({ id, words: body, appointmentId, pictures: pictures.length }));
  },
  mail: async (tx, ids) => {
    const mails = await tx.prisma.mailMessage.findMany({
      where: { ...tx.practice, id: { in: ids } },
      select: { id: true, subject: true },
    });
    return mails.map(({ id, subject }) => ({ id, words: subject }));
  },
  voice_pager_message: async (tx, ids) => {
    const where = { ...tx.practice, id: { in: ids } };
    const messages = await tx.prisma.voicePagerMessage.findMany({ where, select: { id: true, transcript: true } });
    return messages.map(({ id, transcript }) => ({ id, words: transcript }));
  },
  monitoring_alert: async (tx, ids) => {
    const alerts = await tx.prisma.monitoringAlert.findMany({
      where: { ...tx.practice, id: { in: ids } },
      select: { id: true, value: true, question: true, answer: true, item: { select: { name: true, unit: true } } },
    });
    return alerts.map(({ id, value, question, answer, item }) => ({
      id,
      words: item && value !== null ? writeMeasured({ value, item }) : question && `${question} ${answer}`,
    }));
  },
  check_in: async (tx, ids) => {
    const readings = await tx.prisma.reading.findMany({
      where: { ...tx.practice, checkInId: { in: ids }, errorAt: null },
      orderBy: { id: 'asc' },
      select: { checkInId: true, value: true, item: { select: { name: true, unit: true } } },
    });
    return ids.map((id) => {
      const lines = readings.filter(({ checkInId }) => checkInId === id).map(writeMeasured);
      return { id, words: lines.length === 0 ? null : lines.join('\n') };
    });
  },
};

const writeMeasured = ({ value, item }: { value: unknown; item: { name: string; unit: string | null } }): string =>
  [`${item.name}:`, value, item.unit].filter((part) => part !== null).join(' ');
