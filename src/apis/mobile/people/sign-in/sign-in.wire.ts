import { z } from 'zod';
import { missing } from '../../../../domain/errors.ts';
import type { AccountHolder } from '../../../../domain/identity/accounts.ts';
import type { TokenPair } from '../../../../domain/identity/sessions/sessions.ts';
import { withChecks } from '../../../../http/wire/checked-shapes.ts';
import { secret, text } from '../../../../http/wire/wire-types.ts';

export const LoginRequest = z
  .object({
    email: text(254).min(1),
    password: secret(2_000).min(1),
    refresh_token: secret(200)
      .optional()
      .describe(
        'The last refresh token of this app, even if it has expired. It proves that you have signed in here before, so that wrong passwords from elsewhere do not lock you out. Not needed if the app keeps cookies',
      ),
  })
  .meta({ id: 'LoginRequest' });

export const RefreshRequest = withChecks(
  z
    .object({
      token: secret(200).min(1).optional().describe('Refresh token; `token` or `refresh_token` is required'),
      refresh_token: secret(200).min(1).optional().describe('Same as token, named as in the response'),
    })
    .meta({ id: 'RefreshRequest' }),
  { same: [['token', 'refresh_token']] },
);

/** @throws Failure invalid where it is missing */
export function toRefreshToken({ token, refresh_token: named }: z.output<typeof RefreshRequest>): string {
  const sent = token ?? named;
  if (sent === undefined) throw missing('token');
  return sent;
}

export const TokenResponse = z
  .strictObject({
    data: z
      .strictObject({
        access_token: z.string(),
        refresh_token: z.string(),
        token_type: z.literal('Bearer'),
        expires_in: z.int().describe('In seconds'),
        user: z.strictObject({ uuid: z.int(), org_uuid: z.int(), user_type: z.enum(['admin', 'provider', 'staff']) }),
      })
      .describe('Tokens, and the user who signed in'),
  })
  .meta({ id: 'TokenResponse' });

export function fromTokens(pair: TokenPair, session: AccountHolder, seconds: number): z.input<typeof TokenResponse> {
  return {
    data: {
      access_token: pair.accessToken,
      refresh_token: pair.refreshToken,
      token_type: 'Bearer',
      expires_in: seconds,
      user: { uuid: session.userId, org_uuid: session.organizationId, user_type: session.role },
    },
  };
}
