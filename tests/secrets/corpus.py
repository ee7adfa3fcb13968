"""Made-up secrets of every known kind, and the texts they turn up in. Put together from parts, as in `planted`."""

from __future__ import annotations

import base64
import random
import string
from typing import Final

__all__ = ["FORMS", "ISSUED"]

_RANDOM: Final = random.Random(11)
_LETTERS: Final = string.ascii_letters + string.digits


def some(count: int, alphabet: str = _LETTERS) -> str:
    """Return so many characters, with a capital, a small letter and a digit in front where the alphabet has all of them."""
    head = "aB3" if {"a", "B", "3"} <= set(alphabet) else ""
    return head + "".join(_RANDOM.choices(alphabet, k=count - len(head)))


def small(count: int) -> str:
    return some(count, string.ascii_lowercase + string.digits)


def capital(count: int) -> str:
    return some(count, string.ascii_uppercase + string.digits)


def base32(count: int) -> str:
    return some(count, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")


def hexadecimal(count: int) -> str:
    return some(count, "0123456789abcdef")


def number(count: int) -> str:
    return some(count, "123456789")


def web(count: int) -> str:
    return some(count, _LETTERS + "_-").rstrip("-_").ljust(count, "x")


def uuid() -> str:
    return "-".join(hexadecimal(size) for size in (8, 4, 4, 4, 12))


def coded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


_JWT: Final = ".".join((coded('{"alg":"HS256","typ":"JWT"}'), coded('{"sub":"1234567890","name":"Jo"}'), web(43)))
_JWE: Final = ".".join((coded('{"alg":"RSA-OAEP","enc":"A256GCM"}'), web(80), web(16), web(60), web(22)))

# What it is, and what it looks like; `@` parts what may be seen from what is hidden. Nothing around it tells that it is secret.
ISSUED: Final[tuple[tuple[str, str], ...]] = (
    ("Anthropic", "sk-" + "ant-api03-" + web(90)),
    ("Anthropic admin", "sk-" + "ant-admin01-" + web(90)),
    ("OpenAI", "sk-" + some(48)),
    ("OpenAI project", "sk-" + "proj-" + web(80)),
    ("OpenAI service account", "sk-" + "svcacct-" + web(80)),
    ("OpenRouter", "sk-" + "or-v1-" + hexadecimal(64)),
    ("DeepSeek", "sk-" + hexadecimal(32)),
    ("Groq", "gsk" + "_" + some(52)),
    ("xAI", "xai" + "-" + some(80)),
    ("Perplexity", "pplx" + "-" + some(48)),
    ("Replicate", "r8" + "_" + some(37)),
    ("Hugging Face", "hf" + "_" + some(34)),
    ("Hugging Face organisation", "api_org" + "_" + some(34, string.ascii_letters)),
    ("Together", "tgp_v1" + "_" + web(43)),
    ("LlamaCloud", "llx" + "-" + web(48)),
    ("Tavily", "tvly" + "-" + web(36)),
    ("Pinecone", "pcsk" + "_" + some(68)),
    ("LangSmith", "lsv2_pt" + "_" + hexadecimal(32) + "_" + hexadecimal(10)),
    ("Langfuse", "sk-" + "lf-" + uuid()),
    ("NVIDIA", "nvapi" + "-" + web(64)),
    ("Jina", "jina" + "_" + web(60)),
    ("AWS", "AKIA" + capital(16)),
    ("AWS session", "ASIA" + capital(16)),
    ("AWS Bedrock", "ABSK" + some(120)),
    ("AWS AppSync", "da2" + "-" + small(26)),
    ("AWS MWS", "amzn.mws." + uuid()),
    ("Google", "AIza" + web(35)),
    ("Google OAuth", "ya29." + web(80)),
    ("Google client", "GOCSPX" + "-" + web(28)),
    ("Google refresh", "1//0" + web(90)),
    ("Azure AD", "abc8Q~@" + web(34)),
    ("Alibaba", "LTAI" + some(20)),
    ("Tencent", "AKID" + some(32)),
    ("DigitalOcean", "dop_v1" + "_" + hexadecimal(64)),
    ("DigitalOcean OAuth", "doo_v1" + "_" + hexadecimal(64)),
    ("Cloudflare", "cfat" + "_" + some(40) + hexadecimal(8)),
    ("Cloudflare origin", "v1.0-" + hexadecimal(24) + "-" + hexadecimal(146)),
    ("Heroku", "HRKU" + "-" + web(60)),
    ("Fly", "fm2" + "_" + some(120)),
    ("Vercel", "vcp" + "_" + some(56)),
    ("Netlify", "nfp" + "_" + some(36)),
    ("Render", "rnd" + "_" + some(28)),
    ("Supabase", "sbp" + "_" + hexadecimal(40)),
    ("Supabase secret", "sb_secret" + "_" + web(31)),
    ("PlanetScale", "pscale_tkn" + "_" + web(43)),
    ("PlanetScale password", "pscale_pw" + "_" + web(43)),
    ("Neon", "napi" + "_" + small(64)),
    ("ClickHouse", "4b1d" + some(38)),
    ("Databricks", "dapi" + hexadecimal(32)),
    ("Scalingo", "tk-us" + "-" + web(48)),
    ("OpenShift", "sha256~" + web(43)),
    ("Pulumi", "pul" + "-" + hexadecimal(40)),
    ("Terraform", some(14) + ".atlasv1.@" + web(67)),
    ("Vault", "hvs." + web(95)),
    ("Vault batch", "hvb." + web(140)),
    ("Doppler", "dp.pt." + some(43)),
    ("Infisical", "st." + hexadecimal(24) + "." + hexadecimal(32) + "." + hexadecimal(32)),
    ("1Password", "A3" + "-" + capital(6) + "-" + capital(6) + "-" + capital(5) + "-" + capital(5) + "-" + capital(5)),
    ("1Password service", "ops" + "_eyJ" + some(260)),
    ("GitHub", "ghp" + "_" + some(36)),
    ("GitHub OAuth", "gho" + "_" + some(36)),
    ("GitHub fine-grained", "github" + "_pat_" + some(82)),
    ("GitLab", "glpat" + "-" + web(20)),
    ("GitLab deploy", "gldt" + "-" + web(20)),
    ("GitLab runner", "glrt" + "-" + web(20)),
    ("GitLab trigger", "glptt" + "-" + hexadecimal(40)),
    ("GitLab agent", "glagent" + "-" + web(50)),
    ("GitLab registration", "GR1348941" + web(20)),
    ("Bitbucket", "ATBB" + some(32)),
    ("Atlassian", "ATATT3" + web(180) + "=" + capital(8)),
    ("Sourcegraph", "sgp" + "_" + hexadecimal(40)),
    ("npm", "npm" + "_" + some(36)),
    ("PyPI", "pypi" + "-AgEIcHlwaS5vcmc" + web(120)),
    ("RubyGems", "rubygems" + "_" + hexadecimal(48)),
    ("NuGet", "oy2" + small(43)),
    ("Clojars", "CLOJARS" + "_" + hexadecimal(60)),
    ("crates.io", "cio" + some(32)),
    ("Artifactory", "AKCp" + some(69)),
    ("Artifactory reference", "cmVmd" + some(59)),
    ("Docker", "dckr_pat" + "_" + web(27)),
    ("Docker swarm", "SWMTKN-1" + "-" + small(50) + "-" + small(25)),
    ("CircleCI", "CCIPAT" + "_" + some(22) + "_" + hexadecimal(40)),
    ("Buildkite", "bkua" + "_" + hexadecimal(40)),
    ("Octopus", "API" + "-" + capital(26)),
    ("Harness", "pat." + web(22) + "." + some(24) + "." + some(20)),
    ("Prefect", "pnu" + "_" + some(36)),
    ("SonarQube", "squ" + "_" + hexadecimal(40)),
    ("ReadMe", "rdme" + "_" + small(70)),
    ("Infracost", "ico" + "-" + some(32)),
    ("Postman", "PMAK" + "-" + hexadecimal(24) + "-" + hexadecimal(34)),
    ("WakaTime", "waka" + "_" + uuid()),
    ("Tailscale", "tskey" + "-auth-" + some(12) + "-" + some(32)),
    ("Defined Networking", "dnkey" + "-" + base32(26) + "-" + base32(52)),
    ("age", "AGE-SECRET" + "-KEY-1" + capital(58)),
    ("NKEY", "SU" + "A" + base32(55)),
    ("Grafana", "glsa" + "_" + some(32) + "_" + hexadecimal(8)),
    ("Grafana cloud", "glc" + "_" + some(100)),
    ("Sentry", "sntrys" + "_eyJ" + some(120)),
    ("Sentry user", "sntryu" + "_" + hexadecimal(64)),
    ("New Relic", "NRAK" + "-" + capital(27)),
    ("Dynatrace", "dt0c01." + capital(24) + "." + capital(64)),
    ("PostHog", "phx" + "_" + some(43)),
    ("LaunchDarkly", "sdk" + "-" + uuid()),
    ("Akamai", "akab" + "-" + small(16) + "-" + small(16)),
    ("Slack bot", "xoxb" + "-123456789012-" + some(24)),
    ("Slack user", "xoxp" + "-123456789012-123456789012-" + hexadecimal(32)),
    ("Slack app", "xapp" + "-1-A0123456789-1234567890123-" + hexadecimal(64)),
    ("Slack webhook", "https://hooks.slack.com/@services/T" + capital(8) + "/B" + capital(8) + "/" + some(24)),
    ("Discord webhook", "https://discord.com/api/webhooks/@" + number(18) + "/" + web(68)),
    (
        "Teams webhook",
        "https://acme.webhook.office.com/@webhookb2/" + uuid() + "/IncomingWebhook/" + hexadecimal(32) + "/" + uuid(),
    ),
    ("Telegram", number(10) + ":AA@" + web(33)),
    ("Twilio", "SK" + hexadecimal(32)),
    ("SendGrid", "SG." + web(22) + "." + web(43)),
    ("Brevo", "xkeysib" + "-" + hexadecimal(64) + "-" + some(16)),
    ("Mailgun", "key" + "-" + hexadecimal(32)),
    ("Resend", "re" + "_" + some(8) + "_" + some(24)),
    ("Nylas", "nyk_v0" + "_" + some(64)),
    ("Notion", "ntn" + "_" + number(11) + some(35)),
    ("Notion integration", "secret" + "_" + some(43)),
    ("Linear", "lin_api" + "_" + some(40)),
    ("Airtable", "pat" + some(14) + "." + hexadecimal(64)),
    ("Figma", "figd" + "_" + web(40)),
    ("Typeform", "tfp" + "_" + web(59)),
    ("Contentful", "CFPAT" + "-" + web(43)),
    ("Frame.io", "fio-u" + "-" + web(64)),
    ("HubSpot", "pat-na1" + "-" + uuid()),
    ("Vercel blob", "vercel_blob_rw" + "_" + some(16) + "_" + some(30)),
    ("Deno", "ddp" + "_" + some(36)),
    ("Doppler service", "dp.st." + "prd." + some(43)),
    ("Cloudflare user", "cfut" + "_" + some(40)),
    ("New Relic", "NRAK" + "-" + capital(27)),
    ("New Relic licence", hexadecimal(36) + "NRAL"),
    ("Okta", "SSWS @" + "00" + some(40)),
    ("PayPal", "A21AA" + web(80)),
    ("Adafruit", "aio" + "_" + some(28)),
    ("Asana", "1/" + number(16) + ":" + hexadecimal(32)),
    ("Intercom", "dG9rO" + some(55)),
    ("Zapier", "https://hooks.zapier.com/hooks/catch/@123456/" + small(7)),
    ("Discord bot", "M" + some(23) + "." + some(6) + "." + some(38)),
    ("Facebook, long", "EAA" + some(180)),
    ("Bitcoin", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"),
    ("Bitcoin wallet", "xprv9" + some(106, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")),
    ("Nostr", "nsec1" + some(58, "qpzry9x8gf2tvdw0s3jn54khce6mua7l")),
    (
        "PostgreSQL",
        "SCRAM-SHA-256$" + "4096:" + some(22) + "==$" + some(43) + "=:" + some(43) + "=",
    ),
    ("Riot", "RGAPI" + "-" + uuid()),
    ("Dropbox", "sl.u." + web(130)),
    ("Facebook", "EAAC" + some(120)),
    ("Instagram", "IGQVJ" + some(120)),
    ("X", "A" * 21 + some(80)),
    ("Firebase", some(11) + ":APA91b@" + web(130)),
    ("Mapbox", "sk.eyJ" + web(80) + "." + web(22)),
    ("Adobe", "p8e" + "-" + some(32)),
    ("Stripe", "sk" + "_live_" + some(24)),
    ("Stripe restricted", "rk" + "_test_" + some(24)),
    ("Stripe webhook", "whsec" + "_" + some(32)),
    ("Shopify", "shpat" + "_" + hexadecimal(32)),
    ("Square", "sq0atp" + "-" + web(22)),
    ("Square token", "EAAA" + web(60)),
    ("Braintree", "access_token$" + "production$" + small(16) + "$" + hexadecimal(32)),
    ("Plaid", "access-" + "sandbox-" + uuid()),
    ("Flutterwave", "FLWSECK" + "_TEST-" + hexadecimal(32) + "-X"),
    ("Shippo", "shippo" + "_live_" + hexadecimal(40)),
    ("Duffel", "duffel" + "_test_" + web(43)),
    ("EasyPost", "EZAK" + some(54)),
    ("Lob", "live" + "_" + hexadecimal(35)),
    ("Intra42", "s-s4t2" + "ud-" + hexadecimal(64)),
    ("Settlemint", "sm_pat" + "_" + some(16)),
    ("JWT", _JWT),
    ("JWE", _JWE),
    ("PASETO", "v4.local." + web(90)),
    ("PASERK", "k4.secret." + web(86)),
    ("NTLM", "TlRMTVNTUAA" + "DAAAA" + some(60)),
    ("SHA-512 crypt", "$6$" + some(16) + "$" + some(86)),
    ("SHA-256 crypt", "$5$" + "rounds=5000$" + some(16) + "$" + some(43)),
    ("yescrypt", "$y$" + "j9T$" + some(22) + "$" + some(43)),
    ("MD5 crypt", "$1$" + some(8) + "$" + some(22)),
    ("htpasswd", "$apr1$" + some(8) + "$" + some(22)),
    ("bcrypt", "$2b$" + "12$" + some(53)),
    ("argon2", "$argon2id$" + "v=19$m=65536,t=3,p=4$" + some(22) + "$" + some(43)),
    ("Django", "pbkdf2_sha256$" + "600000$" + some(22) + "$" + some(43) + "="),
    ("Werkzeug", "scrypt:" + "32768:8:1$" + some(16) + "$" + hexadecimal(128)),
    ("LDAP", "{SSHA}" + some(31) + "="),
    ("URL password", "postgres://app:@hunter2x@@db.internal:5432/shop"),
    ("Redis URL", "redis://:@letmein-now@@cache:6379/0"),
    ("AMQP URL", "amqp://guest:@rabbit7@@mq.internal:5672/"),
    ("TOTP", "otpauth://totp/Shop:jo?issuer=Shop&secret=@" + base32(32)),
    ("Azure SAS", "https://x.blob.core.windows.net/c?sv=2022-11-02&sig=@" + some(43) + "%3D"),
    ("AWS signature", "https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=@" + hexadecimal(64)),
)

# Lines of files, commands and logs; what stands between « and » is to be hidden, all else to be seen.
FORMS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        "env, weak",
        (
            "DB_PASSWORD=«hunter2hunter2»",
            'export DB_PASSWORD="«hunter2hunter2»"',
            "INFO started with DB_PASSWORD=«hunter2hunter2» in 3 s",
        ),
    ),
    (
        "env, one word",
        (
            "MYSQL_ROOT_PASSWORD=«letmein»",
            "      MYSQL_ROOT_PASSWORD: «letmein»",
            "docker run -e MYSQL_ROOT_PASSWORD=«letmein» mysql",
        ),
    ),
    (
        "env, quoted",
        ("SECRET_KEY='«not-so-random»'", 'ENV SECRET_KEY="«not-so-random»"', '"SECRET_KEY=«not-so-random»",'),
    ),
    (
        "env, blanks",
        (
            'APP_PASSPHRASE="«correct horse battery staple»"',
            "APP_PASSPHRASE='«correct horse battery staple»'",
            '"passphrase": "«correct horse battery staple»"',
        ),
    ),
    (
        "env, UUID",
        (
            "HEROKU_API_KEY=«01234567-89ab-cdef-0123-456789abcdef»",
            'export SNYK_TOKEN="«01234567-89ab-cdef-0123-456789abcdef»"',
            "set API_KEY=«01234567-89ab-cdef-0123-456789abcdef»",
        ),
    ),
    ("env, PAT", ("GH_PAT=«abcdef»", "AZURE_DEVOPS_PAT=«abcdefghijk1»", "export JIRA_PAT='«abcdef»'")),
    ("env, numbers", ("WIFI_PSK=«12345678»", "SMTP_PASS=«20011224»", 'FTP_PASSWORD="«314159265»"')),
    (
        "JSON",
        (
            '{"user": "jo", "password": "«hunter2»"}',
            '  "dbPassword": "«sunflower»",',
            '{\\"password\\": \\"«sunflower»\\"}',
        ),
    ),
    (
        "JSON key",
        ('{"client_secret": "«abc123def456»"}', '"apiKey":"«abc123def456»"', "{'access_token': '«abc123def456»'}"),
    ),
    ("YAML", ("password: «sunflower»", "  db_password: '«sunflower»'", "  - password: «s3cret-word» # of the test")),
    ("YAML, key", ("api_key: «abc123def456»", '  token: "«abc123def456»"', "client-secret: «9f8e7d6c5b4a»")),
    (
        "properties",
        ("spring.datasource.password=«sunflower»", "signing.keyPassword=«sunflower7»", "db.passwd: «sunflower»"),
    ),
    ("INI", ("password = «hunter2»", "passwd=«sunflower»", "pass = «obscured-9x»")),
    ("HCL", ('  password = "«sunflower»"', 'db_password = "«sunflower»"', '  secret_key = "«abc123def456»"')),
    ("TOML", ('token = "«abc123def456»"', '[x]\npassword = "«sunflower»"', "api_key = '«abc123def456»'")),
    (
        "PHP",
        (
            "define('DB_PASSWORD', '«sunflower»');",
            "'password' => '«sunflower»',",
            "define( 'AUTH_KEY', '«" + some(40) + "»' );",
        ),
    ),
    (
        "XML",
        (
            "<password>«sunflower»</password>",
            "  <db.password>«sunflower»</db.password>",
            "<server><id>x</id><password>«sunflower»</password></server>",
        ),
    ),
    (
        "XML attribute",
        (
            '<user name="jo" password="«sunflower1»"/>',
            '<add key="ClearTextPassword" value="«sunflower»" />',
            '<property name="password" value="«sunflower»"/>',
        ),
    ),
    (
        "XML token",
        ("<token>«abc123def456»</token>", "<apiKey>«abc123def456»</apiKey>", "<secret>«s3cr3t-w0rd»</secret>"),
    ),
    (
        "connection string",
        (
            "Server=db;Database=shop;User Id=jo;Password=«sunflower»;",
            '"Shop": "Host=db;Username=jo;Password=«sunflower»;Port=5432"',
            "Data Source=db;Pwd=«sunflower»;Encrypt=yes",
        ),
    ),
    (
        "Azure storage",
        (
            "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=«"
            + some(86)
            + "==»;EndpointSuffix=core.windows.net",
            '"AccountKey=«' + some(86) + '==»"',
            "SharedAccessKey=«" + some(43) + "=»",
        ),
    ),
    (
        "docker login",
        (
            '{"auths": {"r.io": {"auth": "«am86aHVudGVyMg==»"}}}',
            '\t\t\t"auth": "«am86c3VuZmxvd2VyNw==»"',
            '"auth":"«dXNlcjpwYXNzd29yZDE=»"',
        ),
    ),
    (
        "kube",
        (
            "    client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo" + some(400) + "»",
            "    token: «abc123def456»",
            "    password: «sunflower»",
        ),
    ),
    (
        "netrc",
        (
            "machine api.x.io login jo password «sunflower»",
            "machine x.io\n  login jo\n  password «sunflower»\n",
            "default login anonymous password «jo-at-home»",
        ),
    ),
    (
        "npmrc",
        ("//r.io/:_authToken=«abc123def456»", "_auth=«am86aHVudGVyMg==»", "//r.io/:_password=«c3VuZmxvd2VyMTIz»"),
    ),
    ("pgpass", ("localhost:5432:shop:jo:«sunflower»", "*:*:*:jo:«sunflower»", "db.internal:5433:*:jo:«hunter2»\nnext")),
    (
        "my.cnf",
        (
            "[client]\nuser=jo\npassword=«sunflower»\n",
            'password="«sunflower»"',
            "[mysqldump]\npassword = '«sunflower»'",
        ),
    ),
    (
        "AWS credentials",
        (
            "aws_secret_access_key = «" + some(40) + "»",
            "aws_session_token=«" + some(200) + "»",
            '"SecretAccessKey": "«' + some(40) + '»"',
        ),
    ),
    (
        "curl -u",
        (
            "curl -u jo:«sunflower» https://x.io",
            'curl --user "jo:«sunflower»" x.io',
            "+ curl -s -X POST --user=jo:«hunter2» https://x.io",
        ),
    ),
    (
        "basic",
        (
            "Authorization: Basic «am86aHVudGVyMg==»",
            "curl -H 'Authorization: Basic «am86c3VuZmxvd2Vy»' x.io",
            '{"Authorization": "Basic «am86aHVudGVyMg==»"}',
        ),
    ),
    (
        "bearer",
        (
            "Authorization: Bearer «" + some(32) + "»",
            "authorization: token «" + some(20) + "»",
            '"headers": {"Authorization": "Bearer «' + some(40) + '»"}',
        ),
    ),
    (
        "header",
        (
            "X-Api-Key: «" + some(24) + "»",
            "curl -H 'X-Auth-Token: «" + some(24) + "»' x.io",
            '"x-rapidapi-key": "«' + some(50) + '»"',
        ),
    ),
    (
        "cookie",
        (
            "Set-Cookie: JSESSIONID=«" + capital(32) + "»; Path=/",
            "Cookie: a=b; PHPSESSID=«" + small(26) + "7»",
            "Cookie: connect.sid=«s%3A" + some(40) + "»",
        ),
    ),
    (
        "option",
        (
            "deploy --password «hunter2hunter2» --yes",
            "vault login --token=«abc123def456»",
            "tool --api-key «" + some(24) + "» run",
        ),
    ),
    (
        "mysql -p",
        ("mysql -u root -p«sunflower» shop", "mysqldump -uroot -p«hunter2» shop", "sshpass -p «sunflower» ssh jo@x.io"),
    ),
    (
        "login -p",
        (
            "docker login -u jo -p «sunflower» r.io",
            "helm registry login r.io -u jo -p «sunflower»",
            "redis-cli -h x -a «sunflower» ping",
        ),
    ),
    (
        "openssl",
        (
            "openssl rsa -passin pass:«sunflower» -in k.pem",
            "openssl enc -pass pass:«sunflower»",
            "openssl req -passout pass:«sunflower» -new",
        ),
    ),
    (
        "SQL",
        (
            "CREATE USER jo WITH PASSWORD '«sunflower»';",
            "ALTER USER 'jo'@'%' IDENTIFIED BY '«sunflower»';",
            "ALTER ROLE jo WITH LOGIN PASSWORD '«sunflower»'",
        ),
    ),
    (
        "shadow",
        (
            "root:«$6$" + some(16) + "$" + some(86) + "»:19000:0:99999:7:::",
            "jo:«$y$" + "j9T$" + some(22) + "$" + some(43) + "»:19000::::::",
            "jo:«$apr1$" + some(8) + "$" + some(22) + "»",
        ),
    ),
    (
        "Kubernetes variable",
        (
            "- name: DB_PASSWORD\n  value: «sunflower»\n",
            '{"name": "DB_PASSWORD", "value": "«sunflower»"}',
            "  - name: API_KEY\n    value: '«abc123def456»'\n",
        ),
    ),
    ("redis.conf", ("requirepass: «sunflower»", "requirepass=«sunflower»", "REDIS_PASSWORD=«sunflower»")),
    (
        "code",
        (
            'connect(host="db", password="«hunter2hunter2»")',
            "const dbPassword = '«sun-flower-77-x»'",
            'password: str = "«hunter2hunter2»"',
        ),
    ),
    (
        "query",
        (
            "GET /login?user=jo&password=«sunflower» HTTP/1.1",
            "https://x.io/?api_key=«" + some(24) + "»&q=1",
            "POST body: user=jo&password=«hunter2»&x=1",
        ),
    ),
    (
        "Grep",
        (
            "config/db.yml:12:  password: «sunflower»",
            ".env:3:DB_PASSWORD=«sunflower»",
            "    12\tDB_PASSWORD=«sunflower»",
        ),
    ),
    ("diff", ("+DB_PASSWORD=«sunflower»", "-  password: «sunflower»", '+    "password": "«sunflower»",')),
    (
        "WireGuard",
        ("PrivateKey = «" + some(43) + "=»", "PresharedKey = «" + some(43) + "=»", "private_key: «" + some(43) + "=»"),
    ),
    (
        "wallet",
        (
            'mnemonic = "«lobster orbit canvas mango tidy pupil ocean ripple hover velvet»"',
            "PRIVATE_KEY=«0x" + hexadecimal(64) + "»",
            '"privateKey": "«0x' + hexadecimal(64) + '»"',
        ),
    ),
    ("set", ("set DB_PASSWORD=«sunflower»", "$env:DB_PASSWORD = '«sunflower»'", "ARG NPM_TOKEN=«abc123def456»")),
    (
        "names and values",
        (
            "user=jo password=«sunflower» host=db",
            "kubectl create secret generic db --from-literal=password=«sunflower»",
            "helm install x --set auth.password=«sunflower»",
        ),
    ),
    (
        "client secret",
        ("client_secret=«sunflower1»", '"client_secret":"«sunflower»"', "clientSecret: «sunflower»"),
    ),
    (
        "named in JSON",
        ('"API_TOKEN": "«sunflower»"', "      API_TOKEN: '«sunflower»'", "requirepass «sunflower»"),
    ),
    (
        "XML with attributes",
        (
            '<password encrypted="false">«sunflower»</password>',
            '<wsse:Password Type="x">«sunflower»</wsse:Password>',
            "<x:secret>«s3cr3t-w0rd»</x:secret>",
        ),
    ),
)
