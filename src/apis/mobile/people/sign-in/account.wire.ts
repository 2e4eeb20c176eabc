import { z } from 'zod';
import { LONGEST_PASSWORD } from '../../../../domain/identity/passwords/password-rules.ts';
import { deviceName } from '../../../../domain/identity/sessions/device-names.ts';
import type { ShownSession } from '../../../../domain/identity/sessions/session-list.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { bit, instant, paging, secret, text } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';

/** UTF-16 units of the longest password, whose characters have one or two. */
const LONGEST_SENT = 2 * LONGEST_PASSWORD;

export const PasswordChange = z
  .object({
    current_password: secret(LONGEST_SENT).min(1).describe('The current password'),
    password: secret(LONGEST_SENT)
      .min(1)
      .describe(
        'The new password: at least 15 characters, or 8 if you have a second factor; not common, not easily guessed, and without your names',
      ),
  })
  .meta({ id: 'PasswordChange' });

export const ForgotPasswordRequest = z.object({ email: text(254).min(1) }).meta({ id: 'ForgotPasswordRequest' });

export const ForgotPasswordResponse = one(z.strictObject({ message: z.string() }).describe('Message, the same for every address')).meta({
  id: 'ForgotPasswordResponse',
});

const SessionShape = z
  .strictObject({
    id: z.uuid().describe('Session id'),
    kind: z.enum(['app', 'page']).describe('page: a browser on the pages of this server'),
    app: z.string().nullable().describe('Name of the registered app that acts for the user; null for none'),
    scopes: z.array(z.string()).describe('Scopes that the user granted to that app'),
    device: z.string().nullable().describe('Description of the device, from its user agent'),
    methods: z.array(z.string()).describe('The factors used: pwd, otp, hwk (a passkey), recovery, sso'),
    address: z.string().nullable().describe('Network address'),
    created_at: instant(),
    last_used_at: instant().describe('When it was last used, to the minute'),
    expires_at: instant().describe('When it ends if it is not used again'),
    current: z.boolean().describe('Whether it is the session of this request'),
  })
  .meta({ id: 'SessionRecord' });

export const SessionList = wrapList(SessionShape).meta({ id: 'SessionList' });

export const sessionsQuery = z.object({ ...paging });
export const sessionParams = z.object({ id: z.uuid().describe('Session id') });
export const endSessionsQuery = z.object({
  including_current: bit().default(false).describe('1: also end the session of this request, as if signing out'),
});

export const fromSession = (session: ShownSession): z.input<typeof SessionShape> => ({
  id: session.id,
  kind: session.kind,
  app: session.app,
  scopes: session.scopes,
  device: deviceName(session.userAgent),
  methods: session.methods,
  address: session.address,
  created_at: writeInstant(session.createdAt),
  last_used_at: writeInstant(session.lastUsedAt),
  expires_at: writeInstant(session.expiresAt),
  current: session.isCurrent,
});
