import type { Db } from '../../../database/database.ts';
import type { SmsMessage } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import { Failure } from '../../errors.ts';
import { type NewText, queueText } from './queued-texts.ts';

/** Queues a text that accompanies something else, which stands without it: null where the practice has no number to send it from. */
export async function textUnlessRefused(db: Db, caller: Caller, text: NewText): Promise<SmsMessage | null> {
  return queueText(db, caller, text).catch((error: unknown) => {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
    return null;
  });
}
