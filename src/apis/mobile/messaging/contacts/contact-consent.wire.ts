import { z } from 'zod';
import type { ConsentEntry } from '../../../../domain/messaging/contacts/contact-consent.ts';
import { writePhone } from '../../../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { flag, id, instant, multilineText, paging } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';

const ConsentShape = z
  .strictObject({
    uuid: z.int(),
    texts: z.boolean().describe('Whether texts may be sent from then on'),
    phone_no: z.string().nullable().describe('The number; the entry applies to everybody who has it'),
    source: z
      .enum(['text', 'user', 'import', 'carrier'])
      .describe('text: the person wrote it; user: staff recorded it; carrier: the carrier refused a text because of it'),
    words: z.string().describe('Start of the text, or a word for the action'),
    note: z.string().nullable().describe('Staff’s note on how the person said it'),
    user_id: z.int().nullable().describe('Who recorded it'),
    recorded_at: instant(),
  })
  .meta({ id: 'Consent' });

export const ConsentResponse = one(ConsentShape).meta({ id: 'ConsentResponse' });
export const ConsentList = wrapList(ConsentShape).meta({ id: 'ConsentList' });

export const ConsentRequest = z
  .object({
    texts: flag().describe('True: the person wants texts again (START); false: no more texts (STOP)'),
    note: multilineText(1_000).min(1).describe('How the person said it, such as “by telephone on Monday”'),
  })
  .meta({ id: 'ConsentRequest' });

export const consentParams = z.object({ id: id().describe('Contact id; for a patient, the patient id') });
export const consentQuery = z.object(paging);

export const fromConsent = (entry: ConsentEntry): z.input<typeof ConsentShape> => ({
  uuid: entry.id,
  texts: !entry.optedOut,
  phone_no: writePhone(entry.number),
  source: z.enum(['text', 'user', 'import', 'carrier']).catch('import').parse(entry.source),
  words: entry.keyword,
  note: entry.note,
  user_id: entry.userId,
  recorded_at: writeInstant(entry.recordedAt),
});
