import { z } from 'zod';
import type { CanText } from '../../domain/messaging/recipients/can-text.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { instant } from '../../http/wire/wire-types.ts';

export const CanTextShape = z
  .strictObject({
    ok: z.boolean().describe('Whether a text can be sent; if not, sending one returns 409 or 422 with the reason'),
    reason: z
      .enum([
        'opted_out',
        'do_not_sms',
        'do_not_call',
        'deceased',
        'patient_gone',
        'no_patient',
        'no_mobile_number',
        'no_number',
        'number_not_registered',
        'quiet_hours',
      ])
      .nullable()
      .describe(
        'Null if a text would be sent now; no_number: the practice has no number to send from; number_not_registered: carriers in the United States would drop it; quiet_hours: it would wait',
      ),
    until: instant().nullable().describe('During quiet hours, when a text queued now would be sent'),
  })
  .meta({ id: 'CanText' })
  .describe('Whether a text would be sent now');

export const fromCanText = ({ ok, reason, until }: CanText): z.input<typeof CanTextShape> => ({ ok, reason, until: writeInstant(until) });
