import { z } from 'zod';
import type { NumberKind, PracticeNumber } from '../../../../domain/messaging/numbers/practice-numbers.ts';
import { readNorthAmericanPhone, writePhone } from '../../../../domain/values/phone-numbers.ts';
import { isBlank } from '../../../../domain/values/text-form.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import type { AvailableNumber, NumberSearch } from '../../../../gateways/carrier/carrier.ts';
import { id, instant, optional, PATTERNS, paging } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';

const AvailableNumberShape = z
  .strictObject({
    number: z.string().describe('Ten digits, as for the purchase'),
    friendly_name: z.string(),
    locality: z.string().nullable(),
    region: z.string().nullable(),
    capabilities: z.strictObject({ voice: z.boolean(), sms: z.boolean(), fax: z.boolean() }),
  })
  .meta({ id: 'AvailableNumber' });

export const AvailableNumberList = wrapList(AvailableNumberShape).meta({ id: 'AvailableNumberList' });

export const NumberShape = z
  .strictObject({
    uuid: z.int(),
    number: z.string().describe('Ten digits'),
    type: z.enum(['plain', 'fax', 'voice_pager']),
    chat_id: z.int().nullable().describe('The call group that it rings'),
    state: z
      .enum(['ordered', 'active', 'failed', 'releasing'])
      .describe(
        'ordered: until the carrier has sold it, within seconds; failed: the carrier refused, with its code in reason; releasing: until releases_at',
      ),
    reason: z.string().nullable(),
    registration: z
      .enum(['registered', 'pending', 'unregistered', 'unknown'])
      .describe(
        'For a plain number: whether US carriers accept its texts, through its campaign or as a verified toll-free number. Texts from a pending or unregistered number are refused; unknown until the carrier was asked',
      ),
    releases_at: instant()
      .nullable()
      .describe('When a released number goes back to the carrier. Until then it works, and creating it again cancels the release'),
    created_at: instant(),
  })
  .meta({ id: 'PhoneNumber' });

export const NumberResponse = one(NumberShape).meta({ id: 'PhoneNumberResponse' });
export const NumberList = wrapList(NumberShape).meta({ id: 'PhoneNumberList' });

const AREA_CODE = 'must be an area code: three digits that begin with 2 to 9';

export const availableNumbersQuery = z.object({
  areaCode: z
    .string()
    .regex(/^[2-9]\d{2}$/, AREA_CODE)
    .default('910')
    .describe('Area code: three digits'),
  contains: z
    .string()
    .regex(/^[*\dA-Za-z]{1,16}$/, 'must be up to 16 digits, letters and *')
    .optional()
    .describe('Anywhere in the number: * is any digit, letters are keypad letters'),
  page: paging.page,
  limit: paging.limit.unwrap().default(10).describe('Numbers per page'),
});

/** Ten digits, as a number or a string in any usual spelling; read as E.164. */
const number = () =>
  z.preprocess(
    (sent) => (typeof sent === 'number' ? String(sent) : sent),
    z
      .string()
      .max(40)
      .transform((written, context) => {
        const read = readNorthAmericanPhone(written);
        if (read !== null) return read;
        context.addIssue('must be a North American telephone number such as 9105550123');
        return z.NEVER;
      })
      .meta({ minLength: 10, pattern: PATTERNS.phone }),
  );

const KINDS: Record<string, NumberKind> = { plain: 'plain', phone: 'plain', fax: 'fax', voicepager: 'voice_pager' };

/** The three kinds, in any spelling: `voice-pager`, `Voice Pager`, `voice_pager_number`. */
const kind = z
  .string()
  .max(40)
  .transform((written, context) => {
    const word = written.toLowerCase().replaceAll(/[^a-z]/g, '');
    const read = KINDS[word] ?? KINDS[word.replace(/number$/, '')];
    if (read) return read;
    context.addIssue('must be plain, fax or voice_pager');
    return z.NEVER;
  })
  .meta({ enum: ['plain', 'fax', 'voice_pager'] });

/** Only null detaches a number: an empty text, which forms send for a field that nobody filled in, is as if left out. */
const callGroup = z
  .preprocess((sent) => (typeof sent === 'string' && isBlank(sent) ? undefined : sent), id().nullish())
  .describe('The call group to ring; if omitted or empty, the number keeps its own; null detaches it');

export const NumberPurchase = z
  .object({
    number: number().describe('Ten digits, as a number or a text'),
    type: optional(kind)
      .describe('plain (the usual one), fax or voice_pager')
      .meta({ examples: ['plain'] }),
    chat_id: callGroup,
  })
  .meta({ id: 'NumberPurchase' });

export const NumberAttachment = z
  .object({
    number: number().describe('Ten digits, as a number or a text'),
    chat_id: callGroup,
  })
  .meta({ id: 'NumberAttachment' });

export const numberParams = z.object({ uuid: id().describe('Number id') });
export const chatParams = z.object({ chat_id: id().describe('Call group id') });
export const numbersQuery = z.object(paging);

export const toNumberSearch = ({ areaCode, contains }: z.output<typeof availableNumbersQuery>): Omit<NumberSearch, 'limit'> => ({
  areaCode,
  ...(contains === undefined ? {} : { contains }),
});

export function fromAvailable({ number, friendlyName, ...rest }: AvailableNumber): z.input<typeof AvailableNumberShape> {
  return { number: writePhone(number) ?? number, friendly_name: friendlyName, ...rest };
}

export function fromNumber({
  id,
  number,
  kind,
  chatId,
  state,
  failure,
  registration,
  releasesAt,
  createdAt,
}: PracticeNumber): z.input<typeof NumberShape> {
  return {
    uuid: id,
    number: writePhone(number) ?? number,
    type: kind,
    chat_id: chatId,
    // Nothing shows a number that was returned.
    state: state === 'released' ? 'releasing' : state,
    reason: failure,
    registration,
    releases_at: writeInstant(releasesAt),
    created_at: writeInstant(createdAt),
  };
}
