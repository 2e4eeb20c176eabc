import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Keyring, KeyringError } from '../../database/encryption/keyring.ts';
import type { CallerIdentity } from '../../domain/caller.ts';
import { Refusal, type ToolRequest } from './ask.ts';

/** Milliseconds for which a draft can be confirmed: as long as a slot is held. */
const CONFIRMED_WITHIN_MS = 10 * 60_000;

const Draft = z.object({
  request: z.object({ method: z.literal('POST'), path: z.string(), body: z.record(z.string(), z.unknown()) }),
  until: z.number(),
});

/** Keeps what a tool is to do when its draft is confirmed, in a token for its caller alone. */
export interface Drafts {
  write(request: ToolRequest): { token: string; confirm_until: string };
  /** The same request, which is done once however often it is confirmed. @throws Refusal for a token that is wrong or too old */
  confirm(token: string): ToolRequest;
}

export function createDrafts(keyring: Keyring, tool: string, { organizationId, actor }: CallerIdentity): Drafts {
  const cell = { table: 'mcp', column: tool, organizationId, row: actor };
  return {
    write(request) {
      const until = Date.now() + CONFIRMED_WITHIN_MS;
      const token = keyring.encrypt('mcp-draft', JSON.stringify({ request, until }), cell);
      return { token, confirm_until: new Date(until).toISOString() };
    },
    confirm(token) {
      const draft = open(keyring, token, cell);
      if (!draft || draft.until < Date.now())
        throw new Refusal('invalid_token: The token is wrong or has expired. Call the tool without a token to get a new draft.');
      return { ...draft.request, key: createHash('sha256').update(token).digest('base64url') };
    },
  };
}

function open(keyring: Keyring, token: string, cell: Parameters<Keyring['decrypt']>[2]) {
  try {
    return Draft.parse(JSON.parse(keyring.decrypt('mcp-draft', token, cell)));
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}
