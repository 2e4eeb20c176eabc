import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { Failure } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { type NewText, queueText } from './queued-texts.ts';

/** Queues an optional text. @returns null if the practice has no number to send it from */
export async function textUnlessRefused(tx: Tx, text: NewText): Promise<SmsMessage | null> {
  return queueText(tx, text).catch((error: unknown) => {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
    return null;
  });
}
