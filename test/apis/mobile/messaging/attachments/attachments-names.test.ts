import { expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { rawForm } from './uploading.ts';

const test = await sharedTestApp();
const person = await signedInUser(test);

it.each([
  [`filename="=?utf-8?B?SsO2cmcucGRm?="; filename*=utf-8''J%C3%B6rg.pdf`, 'Jörg.pdf'],
  ['filename="=?utf-8?B?SsO2cmcucGRm?="', 'Jörg.pdf'],
  [`filename*=UTF-8'de'J%C3%B6rg%20x.pdf`, 'Jörg x.pdf'],
  ['filename=plain.pdf', 'plain.pdf'],
])('reads a file name as .NET writes it: %s', async (written, name) => {
  const form = rawForm([{ head: `Content-Disposition: form-data; name=file; ${written}`, body: 'x' }]);
  const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'multipart/form-data; boundary=edge' };
  const answer = await fetch(`${test.address}/attachment`, { method: 'POST', headers, body: new Uint8Array(form) });
  const text = await answer.text();
  expect([answer.status, JSON.parse(text).data?.file_name], text).toEqual([201, name]);
});
