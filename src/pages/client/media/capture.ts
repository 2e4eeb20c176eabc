import { failureWords, WORDS } from '../words/words.ts';

/** The present frame of a video, as a PNG in full size. @throws Error where it has none yet */
export async function captureFrame(video: HTMLVideoElement): Promise<Blob> {
  const { videoWidth: width, videoHeight: height } = video;
  if (width === 0 || height === 0) throw new Error(WORDS.pictures.notYet);
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  return toBlob(canvas, 'image/png');
}

export function toBlob(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(WORDS.pictures.failed))), type, 0.85);
  });
}

/** Pauses between the attempts of an upload. */
const RETRY_PAUSES_MS = [1_000, 3_000, 10_000];

interface UploadFiles {
  file: Blob;
  thumbnail?: Blob;
  /** Participant id of whom it shows. */
  patient?: number;
  /** Id of the host's request that this picture answers. */
  still?: number;
}

/** The response to an upload. `patient` is null where the picture belongs to nobody's chart. */
interface Saved {
  uuid?: number;
  patient?: { name: string | null } | null;
}

/**
 * Uploads a picture or a recording, with several attempts where the server cannot be reached.
 * @param roomToken called for each attempt, since the token changes
 * @throws Error with a message for the person
 */
export async function upload(kind: 'images' | 'videos', roomToken: () => string, files: UploadFiles): Promise<Saved> {
  for (const pause of [...RETRY_PAUSES_MS, null]) {
    const answer = await post(kind, roomToken(), files);
    if (answer?.ok) return answer.json();
    if (answer && answer.status < 500 && answer.status !== 429) throw new Error(await errorMessage(answer));
    if (pause !== null) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(WORDS.pictures.unreachable(kind));
}

/** @returns null where the server could not be reached */
function post(kind: 'images' | 'videos', roomToken: string, { file, thumbnail, patient, still }: UploadFiles): Promise<Response | null> {
  const form = new FormData();
  if (patient !== undefined) form.append('patient', String(patient));
  if (still !== undefined) form.append('still', String(still));
  form.append('file', file, kind === 'images' ? 'picture' : 'recording');
  if (thumbnail) form.append('thumbnail', thumbnail, 'still.jpg');
  const headers = { authorization: `Bearer ${roomToken}` };
  return fetch(`${location.pathname}/${kind}`, { method: 'POST', headers, body: form }).catch(() => null);
}

async function errorMessage(answer: Response): Promise<string> {
  const body: { error?: { code: string; message: string } } = await answer.json().catch(() => ({}));
  return body.error ? failureWords(body.error.code, body.error.message) : WORDS.pictures.refused;
}
