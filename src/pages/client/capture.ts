/** The present frame of a video, as a PNG in full size. @throws Error where it has none yet */
export async function captureFrame(video: HTMLVideoElement): Promise<Blob> {
  const { videoWidth: width, videoHeight: height } = video;
  if (width === 0 || height === 0) throw new Error('There is no picture yet.');
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  return toBlob(canvas, 'image/png');
}

export function toBlob(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser made no picture.'))), type, 0.85);
  });
}

/** Pauses between the attempts of an upload. */
const RETRY_PAUSES_MS = [1_000, 3_000, 10_000];

interface UploadFiles {
  file: Blob;
  thumbnail?: Blob;
}

/**
 * Uploads a picture or a recording, with several attempts where the server cannot be reached.
 * @param roomToken called for each attempt, since the token changes
 * @throws Error with a message for the host
 */
export async function upload(kind: 'images' | 'videos', roomToken: () => string, files: UploadFiles): Promise<void> {
  for (const pause of [...RETRY_PAUSES_MS, null]) {
    const answer = await post(kind, roomToken(), files);
    if (answer?.ok) return;
    if (answer && answer.status < 500 && answer.status !== 429) throw new Error(await errorMessage(answer));
    if (pause !== null) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`The ${kind === 'images' ? 'picture' : 'recording'} could not be kept: the practice cannot be reached.`);
}

/** @returns null where the server could not be reached */
function post(kind: 'images' | 'videos', roomToken: string, { file, thumbnail }: UploadFiles): Promise<Response | null> {
  const form = new FormData();
  form.append('file', file, kind === 'images' ? 'picture.png' : 'recording');
  if (thumbnail) form.append('thumbnail', thumbnail, 'still.jpg');
  const headers = { authorization: `Bearer ${roomToken}` };
  return fetch(`${location.pathname}/${kind}`, { method: 'POST', headers, body: form }).catch(() => null);
}

async function errorMessage(answer: Response): Promise<string> {
  const body: { error?: { message?: string } } = await answer.json().catch(() => ({}));
  return body.error?.message ?? 'It could not be kept. Please try again.';
}
