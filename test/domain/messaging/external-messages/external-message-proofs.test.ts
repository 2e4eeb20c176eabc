import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createKeyring } from '../../../../src/database/encryption/keyring.ts';
import { createProof, isValidProof, PROOF_SECONDS } from '../../../../src/domain/messaging/external-messages/external-message-proofs.ts';

const [older, newer] = ['older', 'newer'].map((id) => ({ id, key: randomBytes(32) }));
if (!older || !newer) throw new Error('two keys');
const keyring = createKeyring([older]);
const KEY = { organizationId: 1, id: 2 };
const NOW = new Date('2026-11-21T12:00:00.400Z');
const proof = createProof(keyring, KEY, NOW);
const inSeconds = (count: number) => new Date(NOW.getTime() + count * 1_000);

it('a proof holds for half an hour', () => {
  expect(isValidProof(keyring, KEY, proof, inSeconds(PROOF_SECONDS - 1))).toBe(true);
  expect(isValidProof(keyring, KEY, proof, inSeconds(PROOF_SECONDS))).toBe(false);
});

it('a proof holds for its message alone', () => {
  expect(isValidProof(keyring, { organizationId: 2, id: 2 }, proof, NOW)).toBe(false);
  expect(isValidProof(keyring, { organizationId: 1, id: 22 }, proof, NOW)).toBe(false);
});

it('a proof is believed while its master key is there, wherever it stands', () => {
  expect(isValidProof(createKeyring([newer, older]), KEY, proof, NOW)).toBe(true);
  expect(isValidProof(createKeyring([newer]), KEY, proof, NOW)).toBe(false);
  expect(isValidProof(createKeyring([{ id: 'older', key: newer.key }]), KEY, proof, NOW)).toBe(false);
});

it.each([undefined, '', '..', 'older.99999999999999.x', `${proof}x`, proof.slice(1)])('%s is no proof', (written) => {
  expect(isValidProof(keyring, KEY, written, NOW)).toBe(false);
});
