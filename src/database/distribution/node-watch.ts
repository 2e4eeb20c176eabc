/** Milliseconds for which what asks every node is left alone after one was found down; then it is tried again. */
export const NODE_DOWN_MS = 10_000;
