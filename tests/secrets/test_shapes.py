"""Values that do not stand right behind their name, and passwords in files and commands that are known by their kind."""

from __future__ import annotations

import base64

import pytest
from test_mask_stream import stream

from tui_agent.secrets.masker import Masker

WORD = "tulip9gar4den"
BLANKS = "tulip 9 garden"
CODED = base64.b64encode(WORD.encode()).decode()
DES = "f7UuXUGfdWG5y"
TEXTS = {
    "block": ("password: |\n  @@\nnext: 1", WORD),
    "folded block": ("db:\n  password: >-   # of the test\n    @@\n  next: 1", WORD),
    "flow map": ("{host: h, password: @@, x: 1}", WORD),
    "end of a flow map": ("db: {password: @@}", WORD),
    "anchor": ("password: &p @@", WORD),
    "tag": ("password: !!str @@", WORD),
    "secret tag": ("password: !secret @@", WORD),
    "anchor and tag": ("password: &p !!str '@@'", WORD),
    "list": ("passwords:\n  - @@\n  - other", WORD),
    "quoted list": ("passwords:\n- first\n- '@@'", WORD),
    "blanks": ("password: '@@'", BLANKS),
    "blanks in a connection": ("host=h password='@@'", BLANKS),
    "blanks in .netrc": ('machine h login joe password "@@"', "my secret 99 pass"),
    "shell quotes": ("export DB_PASSWORD=$'@@'", "tulip9\\x41garden"),
    "next line": ('{"password":\n   "@@"}', WORD),
    "array": ('{"apiKeys":["@@"]}', "tulip9garden4x"),
    "array over lines": ('{"passwords": [\n  "first",\n  "@@"\n]}', WORD),
    "TOML array": ('passwords = ["@@"]', WORD),
    "three quotes": ('password = """@@"""', WORD),
    "three quotes over lines": ('password = """\n@@"""', WORD),
    "three single quotes": ("password = '''\n@@\n'''", WORD),
    "element over lines": ("<server>\n  <password>\n    @@\n  </password>\n</server>", WORD),
    "CDATA": ("<password><![CDATA[@@]]></password>", WORD),
    "CDATA over lines": ("<password>\n  <![CDATA[@@]]>\n</password>", WORD),
    "Terraform": ('variable "db_password" {\n  type    = string\n  default = "@@"\n}', WORD),
    "Terraform state": ('{"type":"random_password","attributes":{"result":"@@"}}', WORD),
    "authentication": ("REDIS_AUTH=@@", WORD),
    "session": ("SESSION_KEY=@@", WORD),
    "ODBC": ("[dsn]\nUID=j\nPWD=@@", WORD),
    "ODBC on one line": ("Driver={x};Uid=j;PWD=@@;", WORD),
    "setx": ("setx DB_PASSWORD @@", WORD),
    "setx for all": ("setx /M DB_PASSWORD @@", WORD),
    "header": ("X-Postmark-Server-Token: @@", "3f9c1b5e-7a1d-4c0e-9b53-8d1f0a6e2c44"),
    "old Vault": ("VAULT_TOKEN=@@", "s.XvBHfjzSgT9Vdcs6XQiHgSeu"),
    "Yarn": ('npmAuthIdent: "@@"', f"joe:{WORD}"),
    "Bundler": ('BUNDLE_GEMS__ACME__COM: "joe:@@"', WORD),
    "curlrc": ('user = "joe:@@"', WORD),
    "IPsec": (': PSK "@@"', WORD),
    "LDIF": ("userPassword:: @@", CODED),
    "shadow": ("joe:@@:19000:0:99999:7:::", DES),
    "htpasswd": ("joe:@@", DES),
    "Kubernetes": ("apiVersion: v1\nkind: Secret\ndata:\n  value: @@\ntype: Opaque", CODED),
    "Kubernetes, as it is listed": ("apiVersion: v1\ndata:\n  value: @@\nkind: Secret\nmetadata:\n  name: x", CODED),
    "Kubernetes, plain": ("kind: Secret\nstringData:\n  value: @@", WORD),
    "Kubernetes, JSON": ('{"apiVersion": "v1", "data": {"value": "@@"}, "kind": "Secret"}', CODED),
    "token in an address": ("https://@@@github.com/o/r.git", "bd0c621de49f145fda9988c79fc35526f7eaed46"),
    "sign in an address": ("postgres://u:@@@h/db", "p@ssw0rd99"),
    "word list": ("mnemonic: @@", "legal winner thank year wave sausage worth useful legal winner thank yellow"),
    "mysqldump": ("mysqldump -uroot -p'@@' db", WORD),
    "keytool": ("keytool -list -storepass @@", WORD),
    "keytool key": ("keytool -importkeystore -srckeypass @@ -v", WORD),
    "ldapsearch": ("ldapsearch -D cn=a -w @@ -x", WORD),
    "smbclient": ("smbclient //h/s -U joe%@@", WORD),
    "HTTPie": ("http -a joe:@@ x.acme.io", WORD),
    "HTTPie, safe": ("https -a joe:@@ x.acme.io", WORD),
    "mongosh": ("mongosh -u a -p @@ --host h", WORD),
    "aws configure": ("aws configure set aws_secret_access_key @@", "Dcaz2YBSoGOsDbjqMVzaVp62BSKLVPA2oQUP44XP"),
    "htpasswd -b": ("htpasswd -bc f joe @@", WORD),
    "htpasswd -nb": ("htpasswd -nbB joe @@", WORD),
    "kubectl": ("kubectl create secret generic x --from-literal=pw=@@", WORD),
    "zip": ("zip -r -P @@ a.zip b", WORD),
    "unzip": ("unzip -P @@ a.zip", WORD),
    "7z": ("7z x -p@@ a.7z", WORD),
    "chpasswd": ("echo 'joe:@@' | chpasswd", WORD),
    "chpasswd as root": ('printf "joe:@@\\n" | sudo chpasswd', WORD),
    "docker login": ('echo "@@" | docker login --username joe --password-stdin', WORD),
    "sudo -S": ("echo @@ | sudo -S apt update", WORD),
    "kubeadm": ("kubeadm join 1.2.3.4:6443 --token @@", "abcdef.0123456789abcdef"),
}  # fmt: skip
LISTED = (
    "block", "folded block", "list", "quoted list", "next line", "array over lines", "three quotes over lines",
    "element over lines", "Kubernetes", "Kubernetes, as it is listed", "Kubernetes, plain",
)  # fmt: skip
# For these all of the file is read at once: a stream has shown what came before the file's kind is known.
WHOLE = {
    "Kubernetes, as it is listed", "Kubernetes, JSON", "htpasswd", "shadow", "chpasswd", "chpasswd as root", "docker login",
    "sudo -S",
}  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS)
def test_a_value_is_hidden_in_its_shape(kind: str) -> None:
    text, secret = TEXTS[kind]
    before, after = f"# notes\n{text}\nlast line\n".split("@@", 1)
    masked = Masker().mask(before + secret + after)
    assert masked.startswith(before)
    assert masked.endswith(after)
    assert masked.removeprefix(before).removesuffix(after).startswith("[secret: ")


@pytest.mark.parametrize("kind", sorted(LISTED))
@pytest.mark.parametrize("listing", ["{number:6}\t{line}", "{number:6}→{line}", "notes.txt:{number}:{line}"])
def test_a_value_is_hidden_in_listings_of_its_shape(kind: str, listing: str) -> None:
    text, secret = TEXTS[kind]
    lines = ["# notes", *text.replace("@@", secret).split("\n"), "last line"]
    masked = Masker().mask("\n".join(listing.format(number=number, line=line) for number, line in enumerate(lines, 1)))
    assert secret not in masked
    assert masked.endswith("last line")
    assert masked.count("\n") == len(lines) - 1


@pytest.mark.parametrize("kind", sorted(set(TEXTS) - WHOLE))
def test_no_border_shows_a_part_of_it(kind: str) -> None:
    text, secret = TEXTS[kind]
    text = f"# notes\n{text.replace('@@', secret)}\nlast line\n"
    masker = Masker()
    whole = masker.mask(text)
    assert all("".join(stream(text, [place], masker)) == whole for place in range(len(text)))


HARMLESS = (
    "    steps:\n      - uses: docker/build@v5\n        secrets: |\n            GIT_AUTH_TOKEN=${{ secrets.TOKEN2024 }}\n",
    "on:\n  workflow_call:\n    secrets:\n      token:\n        required: true\n      - name: x2y3\n",
    "services:\n  db:\n    secrets:\n      - db_password\n      - api_key2\nsecrets:\n  db_password:\n    file: ./pw.txt\n",
    "password: |\n  The password of the database, as of 2024.\nnext: 1\n",
    "token: >\n  See https://acme.io/docs/2024\n",
    "parser.add_argument(\n    '--password',\n    help='the password of user1',\n)\n",
    "class Login:\n    password: str\n    tokens: list[str] = field(default_factory=list)\n    limit2: int = 3\n",
    'tokens = [\n    "NUMBER",\n    "STRING2",\n    ("KEYWORD", "if"),\n]\n',
    '{"scripts": {"token":\n  "node scripts/token.js"}}',
    '{"passwords": [\n  "first",\n  "second"\n]}',
    'def token():\n    """Return the token2024."""\n',
    'password = """\nSELECT password FROM users2\n"""\n',
    "<form>\n  <password>\n    <input type='text2'/>\n  </password>\n</form>\n",
    "<token>\n  {{ token2 }}\n</token>\n",
    'variable "db_password" {\n  type = string\n}\nvariable "name" {\n  default = "shop2024x"\n}\n',
    "apiVersion: v1\nkind: ConfigMap\ndata:\n  level: debug\n  mode: fast\n---\napiVersion: v1\nkind: Secret\n",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\n  labels:\n    tier: back\ntype: Opaque\n",
    "apiVersion: external-secrets.io/v1\nkind: SecretStore\ndata:\n  value: dGVzdHRlc3Q=\n",
    '{"apiVersion": "v1", "data": {"level": "info"}, "kind": "ConfigMap"}',
    "USER=jo\nPWD=/home/jo/app2\nOLDPWD=/srv/app1\n",
    "USERNAME=jo\nPWD=C:/Users/jo2\n",
    "FROM node:20\nARG NPM_TOKEN\nRUN --mount=type=secret,id=npm npm ci \\\n    --cache /tmp/npm2 \\\n    --prefer-offline\n",
    "#define NEXT(token) \\\n    do { token2 = next(token); } while (0)\n",
    "10%\r20%\r30% done\r\n",
    "NAME\n     l\x08ls\x08s - list directory contents\n",
    "-----END PRIVATE KEY-----\nfiles 3 changed, 2 insertions\n",
    "-----END RSA PRIVATE KEY-----\n-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUF\n",
    "Usage: unzip -P <password> file.zip\n  -P PASSWORD   the password\n",
    "echo '127.0.0.1 db2' | sudo tee -a /etc/hosts\n",
    "2026-01-01 12:00:00 INFO mongo -p 27017 ready, ldap -w 30 ok, zip -P done\n",
    "password:\n  - too short\n  - must have 1 digit\n",
    "tokens:\n  - a\n  - b2\n",
)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_has_the_shape_alone_is_seen(text: str) -> None:
    assert Masker().mask(text) == text
