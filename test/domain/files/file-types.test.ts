import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTypeDetector, isProgram } from '../../../src/domain/files/file-types.ts';

/** The type of content that comes in pieces of so many bytes. */
async function detectType(content: Buffer | string, piece = 7_000): Promise<string> {
  const bytes = Buffer.from(content);
  const finder = createTypeDetector();
  for (let at = 0; at < bytes.length; at += piece) finder.add(bytes.subarray(at, at + piece));
  return finder.detect();
}

const MP4 = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypmp42'), Buffer.alloc(4), Buffer.from('mp42isom')]);

describe('the type of a file', () => {
  it.each([
    ['%PDF-1.7\n…', 'application/pdf'],
    [Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), 'image/jpeg'],
    [Buffer.from('GIF89a\u0001\u0000\u0001\u0000', 'latin1'), 'image/gif'],
    [MP4, 'video/mp4'],
    [Buffer.from('504b0506000000000000000000000000000000000000', 'hex'), 'application/zip'],
    ['MZ\u0090\u0000\u0003', 'application/x-msdownload'],
    ['MZ, Maria Zapata, called.', 'text/plain'],
    ['#!/usr/bin/env node\n', 'text/x-shellscript'],
    ['#! Note to self', 'text/plain'],
    ['\u{feff}@ECHO OFF\r\nformat c:\r\n', 'text/x-shellscript'],
    ['Dear Ada,\nsee you.\n', 'text/plain'],
    ['<!doctype html><script>alert(1)</script>', 'text/plain'],
    ['{"a": 1}', 'text/plain'],
    ['a,b\n1,2\n', 'text/csv'],
    ['a;b;c\r\n1;2;3', 'text/csv'],
    ['a\tb\n1\t2\n', 'text/tab-separated-values'],
    ['name,note\nAda,"x, y"\n', 'text/csv'],
    ['a,b\n1,2,3\n', 'text/plain'],
    ['one line, with a comma', 'text/plain'],
    ['Grüße 😀', 'text/plain'],
    [Buffer.from('Grüße', 'latin1'), 'application/octet-stream'],
    ['a\u0000b', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('%j is %s', async (content, type) => {
    expect(await detectType(content)).toBe(type);
  });

  it('of an installer for Windows is told from an old document, wherever the sector is that says so', async () => {
    const start = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(40_000)]);
    const installer = Buffer.concat([start, Buffer.from('84100c0000000000c000000000000046', 'hex'), Buffer.alloc(99)]);
    expect([await detectType(start), await detectType(installer), await detectType(installer, 7)]).toEqual([
      'application/x-cfb',
      'application/x-msi',
      'application/x-msi',
    ]);
    expect(['application/x-msi', 'application/x-elf', 'application/java-archive'].every(isProgram)).toBe(true);
    expect(['application/x-cfb', 'application/zip', 'application/pdf', 'text/plain'].some(isProgram)).toBe(false);
  });

  it('is text only if all of it is, also far behind the beginning', async () => {
    const text = 'word '.repeat(20_000);
    expect(await detectType(text)).toBe('text/plain');
    expect(await detectType(Buffer.concat([Buffer.from(text), Buffer.from([0])]))).toBe('application/octet-stream');
    expect(await detectType(Buffer.concat([Buffer.from(text), Buffer.from([0xe2, 0x82])]))).toBe('application/octet-stream');
  });

  it('of a long table is seen in its beginning', async () => {
    expect(await detectType('a,b,c\n'.repeat(10_000))).toBe('text/csv');
  });

  it('does not depend on how the content is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 1, max: 9 }), async (content, piece) => {
        expect(await detectType(content, piece)).toBe(await detectType(content));
      }),
    );
  });

  it('is found for any bytes, without an error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (content) => {
        expect(await detectType(Buffer.from(content))).toMatch(/^[a-z]+\/[\w.+-]+$/);
      }),
    );
  });
});
