/** Numbers as LEB128 varints, whole and at least 0; texts with their length before them. */
export function createByteWriter() {
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(16_384);
  let at = 0;
  /** Room for so many bytes more. */
  function ensure(more: number): void {
    if (at + more <= bytes.length) return;
    const larger = new Uint8Array(Math.max(bytes.length * 2, at + more));
    larger.set(bytes);
    bytes = larger;
  }
  /** Division, not shifts: µs since 1970 need 51 bits, doubled by the zigzag 52. */
  function varint(value: number): void {
    ensure(8);
    let rest = value;
    while (rest >= 128) {
      bytes[at] = (rest % 128) + 128;
      at += 1;
      rest = Math.floor(rest / 128);
    }
    bytes[at] = rest;
    at += 1;
  }
  return {
    varint,
    text: (text: string) => {
      const encoded = encoder.encode(text);
      varint(encoded.length);
      ensure(encoded.length);
      bytes.set(encoded, at);
      at += encoded.length;
    },
    bytes: () => bytes.slice(0, at),
  };
}

/** What createByteWriter wrote; `wrong` makes the error of bytes that it did not. */
export function createByteReader(bytes: Uint8Array, wrong: (why: string) => Error) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let at = 0;
  function varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined) throw wrong(`it ends within a number at byte ${at}`);
      at += 1;
      value += (byte % 128) * scale;
      if (!Number.isSafeInteger(value)) throw wrong(`a number before byte ${at} is too large`);
      if (byte < 128) return value;
      scale *= 128;
    }
  }
  return {
    varint,
    text: () => {
      const length = varint();
      if (at + length > bytes.length) throw wrong(`it ends within a text at byte ${at}`);
      const part = bytes.subarray(at, at + length);
      at += length;
      try {
        return decoder.decode(part);
      } catch (error) {
        throw wrong(`a text before byte ${at} is not UTF-8: ${String(error)}`);
      }
    },
    isAtEnd: () => at === bytes.length,
  };
}
