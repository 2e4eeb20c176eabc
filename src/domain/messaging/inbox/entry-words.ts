import type { Db } from '../../../database/database.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';

interface EntrySubject {
  subjectType: string;
  subjectId: number;
}

/**
 * The words of entries, by type and id of their subjects (`text 12`): of a text its body, of a voice message its transcript, of a
 * check-in what was measured. Audits the records that they are read from.
 */
export async function readWords(db: Db, caller: Caller, entries: readonly EntrySubject[]): Promise<Map<string, string | null>> {
  const words = new Map<string, string | null>();
  for (const [type, read] of Object.entries(READERS)) {
    const ids = entries.flatMap(({ subjectType, subjectId }) => (subjectType === type ? subjectId : []));
    if (ids.length === 0) continue;
    recordRead(caller, type, ids);
    for (const { id, words: said } of await read(db, caller.organizationId, ids)) words.set(`${type} ${id}`, said);
  }
  return words;
}

type Reader = (db: Db, organizationId: number, ids: number[]) => Promise<{ id: number; words: string | null }[]>;

const READERS: Record<string, Reader> = {
  text: async (db, organizationId, ids) => {
    const texts = await db.smsMessage.findMany({ where: { organizationId, id: { in: ids } }, select: { id: true, body: true } });
    return texts.map(({ id, body }) => ({ id, words: body }));
  },
  voice_pager_message: async (db, organizationId, ids) => {
    const where = { organizationId, id: { in: ids } };
    const messages = await db.voicePagerMessage.findMany({ where, select: { id: true, transcript: true } });
    return messages.map(({ id, transcript }) => ({ id, words: transcript }));
  },
  check_in: async (db, organizationId, ids) => {
    const readings = await db.reading.findMany({
      where: { organizationId, checkInId: { in: ids } },
      orderBy: { id: 'asc' },
      select: { checkInId: true, value: true, item: { select: { name: true, unit: true } } },
    });
    return [...Map.groupBy(readings, ({ checkInId }) => checkInId)].map(([id, measured]) => ({
      id,
      words: measured.map(({ value, item }) => [`${item.name}:`, value, item.unit].filter((part) => part !== null).join(' ')).join('\n'),
    }));
  },
};
