import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { MessagePreview } from '../../domain/messaging/inbox/message-preview.ts';
import { writePhone } from '../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { alsoNamed } from '../../http/input/query.ts';
import { DRY_RUN_NAMES, namesDryRun } from '../../http/wire/dry-run.ts';
import { flag, instant } from '../../http/wire/wire-types.ts';
import { one } from './shared.wire.ts';

const MessagePreviewShape = z
  .strictObject({
    dry_run: z.literal(true).describe('Nothing was sent or stored'),
    channel: z.enum(['sms', 'email']),
    to: z.string().nullable().describe('Number or email address'),
    message: z.string().describe('The rendered message; {{url}} stands for the link'),
    segments: z.int().nullable().describe('Number of segments of the text including its link; null for an email'),
    encoding: z.enum(['GSM-7', 'UCS-2']).nullable().describe('Encoding of the text; null for an email'),
    sends_at: instant().describe('When it would be sent: now, or at the end of the recipient’s quiet hours'),
    language: z.string().describe('Language tag of the message; for your own words, the language of the patient or else of the practice'),
  })
  .meta({ id: 'MessagePreview' });

export const MessagePreviewResponse = one(MessagePreviewShape).meta({ id: 'MessagePreviewResponse' });

const dryRun = {
  dry_run: alsoNamed(flag().nullish(), ...DRY_RUN_NAMES.slice(1)).describe(
    'True: returns 200 with the message as it would be sent, and stores nothing. Also read as `dryrun`, `dryRun`',
  ),
};

export const dryRunQuery = z.object(dryRun);
/** The same as a field of the body: a request that says so anywhere sends nothing. */
export const dryRunField = dryRun;

type DryRun = z.output<typeof dryRunQuery>;

/** A request that names it without a value asks for it too. */
export const isDryRun = ({ query, body, request }: { query: DryRun; body: DryRun; request: FastifyRequest }): boolean =>
  query.dry_run === true || body.dry_run === true || namesDryRun(request);

export function fromPreview({ channel, to, body, count, sendsAt, language }: MessagePreview): z.input<typeof MessagePreviewResponse> {
  const data = { dry_run: true, channel, message: body, language } as const;
  return {
    data: {
      ...data,
      to: channel === 'sms' ? writePhone(to) : to,
      segments: count?.segments ?? null,
      encoding: count?.encoding ?? null,
      sends_at: writeInstant(sendsAt),
    },
  };
}
