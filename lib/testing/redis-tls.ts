import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type TestCertificates = {
  /** PEM of the authority. */
  ca: string;
  /** Lines of a server's configuration. */
  config(tlsPort: number): string[];
};

/** An authority of one's own, and a certificate for these names, made with openssl in `folder`. */
export function makeCertificates(folder: string, names: string): TestCertificates {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const newKey = (name: string) =>
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", name);
  newKey("ca.key");
  openssl(
    "req",
    "-x509",
    "-new",
    "-key",
    "ca.key",
    "-days",
    "2",
    "-subj",
    "/CN=test authority",
    "-out",
    "ca.pem",
  );
  newKey("server.key");
  openssl("req", "-new", "-key", "server.key", "-subj", "/CN=localhost", "-out", "server.csr");
  writeFileSync(file("extensions"), `subjectAltName=${names}\n`);
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "extensions"];
  openssl("x509", "-req", "-in", "server.csr", ...signed, "-days", "2", "-out", "server.pem");
  return {
    ca: readFileSync(file("ca.pem"), "utf8"),
    config: (tlsPort) => [
      `tls-port ${tlsPort}`,
      `tls-cert-file ${file("server.pem")}`,
      `tls-key-file ${file("server.key")}`,
      `tls-ca-cert-file ${file("ca.pem")}`,
      "tls-auth-clients no",
    ],
  };
}
