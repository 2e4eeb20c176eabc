import { expect, it } from 'vitest';
import { noRoom } from '../../src/domain/errors.ts';
import { lastWords } from '../../src/startup/last-words.ts';

it('a full disk is one sentence, whether the database or a file had no room', () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  for (const error of [full, noRoom(full)]) expect(lastWords(error)).toMatch(/^The disk of the database or of DATA_DIR is full.*\.$/);
});

it('a fault of the program keeps its stack', () => {
  expect(lastWords(new Error('a fault'))).toContain('last-words.test.ts');
});
