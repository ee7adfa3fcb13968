"""Image files as the model can take them: checked whole, turned upright, small enough for the API, with a preview to look at.

An image that the API refuses would be refused again with every later request, so nothing passes here that was not decoded.
Everything here blocks (a photograph takes a tenth of a second), and is called in a thread.
"""

from __future__ import annotations

import io
import warnings
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tui_agent.media import image_block, image_size, image_type

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["LONGEST_SIDE", "MOST_BYTES", "MOST_PIXELS", "ImageProblem", "Picture", "fit_image", "other_image"]

# Longer sides are refused in a request of more than twenty images, and the model sees no more of them anyway.
LONGEST_SIDE: Final = 2000
# The API takes five megabytes of Base64 for an image but only 32 for a whole request: so that a dozen of them fit.
MOST_BYTES: Final = 1_500_000
MOST_PIXELS: Final = 64_000_000  # a telephone's largest photograph; decoded, four bytes each
_PREVIEW: Final = (44, 40)  # pixels; two of them, one above the other, take a cell of the terminal
_PLAIN_MODES: Final = frozenset({"1", "L", "LA", "P", "RGB", "RGBA"})


class ImageProblem(Exception):  # noqa: N818 - what is wrong with a file, not with the program
    """An image cannot be shown; the message says why, in a sentence without its name."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as it is sent. `original_*` is the file's own; `preview` are rows of RGB bytes of `preview_size` pixels."""

    data: bytes
    media_type: str
    size: tuple[int, int]
    original_type: str
    original_size: tuple[int, int]
    original_bytes: int
    preview: bytes
    preview_size: tuple[int, int]

    @property
    def is_original(self) -> bool:
        """Whether the file's own bytes are sent."""
        return len(self.data) == self.original_bytes and self.media_type == self.original_type

    def to_block(self) -> dict[str, Any]:
        """Return it as a content block."""
        return image_block(self.media_type, b64encode(self.data).decode("ascii"))

    def to_data(self) -> dict[str, Any]:
        """Return what programs and views get: everything but the picture itself, which is in the block."""
        width, height = self.preview_size
        return {
            "mediaType": self.original_type,
            "originalSize": self.original_bytes,
            "dimensions": {
                "originalWidth": self.original_size[0],
                "originalHeight": self.original_size[1],
                "displayWidth": self.size[0],
                "displayHeight": self.size[1],
            },
            "sentType": self.media_type,
            "sentSize": len(self.data),
            "preview": {"width": width, "height": height, "rgb": b64encode(self.preview).decode("ascii")},
        }


def other_image(head: bytes) -> str:
    """Return what kind of image a file's first bytes show that is none of those that can be shown; empty where it is none.

    Only for files that hold NULs: a text may begin like some of these.
    """
    if head.startswith(b"BM") and head[6:10] == bytes(4):
        return "BMP"
    if head.startswith((b"II*\0", b"MM\0*")):
        return "TIFF"
    if head.startswith((b"\0\0\1\0", b"\0\0\2\0")) and len(head) > 4 and head[4] and not head[5]:
        return "ICO"
    if head[4:8] == b"ftyp":
        return {b"avif": "AVIF", b"heic": "HEIC", b"heix": "HEIC", b"mif1": "HEIF"}.get(head[8:12], "")
    return "Photoshop" if head.startswith(b"8BPS") else ""


def fit_image(data: bytes) -> Picture:
    """Return the picture that a file of these bytes holds: of an animation the first frame.

    What needs no change is passed on byte for byte.

    Raises:
        ImageProblem: none of the four kinds, broken, or of more pixels than are decoded.
    """
    kind, size = image_type(data), image_size(data)
    if kind is None:
        raise ImageProblem("it is not a PNG, JPEG, GIF or WebP image")
    if size is None or 0 in size:
        raise ImageProblem("it is a broken image: its header does not say how large it is")
    _check_pixels(size)
    from PIL import Image, UnidentifiedImageError

    # the frame of a file may be larger than its header says; Pillow only warns of that, on a screen that is not its own
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    try:
        with Image.open(io.BytesIO(data), formats=[kind.partition("/")[2].upper()]) as image:
            size = image.size
            _check_pixels(size)
            if kind == "image/jpeg" and max(size) > LONGEST_SIDE:
                image.draft(None, (LONGEST_SIDE, LONGEST_SIDE))  # decodes at a half or a quarter of the size
            is_plain = image.mode in _PLAIN_MODES and not getattr(image, "is_animated", False)
            image.load()
            upright = _upright(image)
            fits = max(size) <= LONGEST_SIDE and len(data) <= MOST_BYTES
            if fits and is_plain and upright is image:
                sent, media_type, sent_size = data, kind, size
            else:
                sent, media_type, sent_size = _encoded(upright, is_photo=kind == "image/jpeg")
            preview, preview_size = _preview(upright)
    except UnidentifiedImageError as error:
        raise ImageProblem("it is a broken image: what follows its header is not of that kind") from error
    except (Image.DecompressionBombError, Image.DecompressionBombWarning, MemoryError) as error:
        raise ImageProblem("it unpacks to more pixels than are decoded") from error
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, OverflowError) as error:
        reason = str(error).rstrip(".") or type(error).__name__
        raise ImageProblem(f"it is a broken image: {reason}") from error
    return Picture(sent, media_type, sent_size, kind, size, len(data), preview, preview_size)


def _check_pixels(size: tuple[int, int]) -> None:
    if size[0] * size[1] > MOST_PIXELS:
        raise ImageProblem(f"it has {size[0]:,} × {size[1]:,} pixels; up to {MOST_PIXELS:,} in all are decoded")


def _upright(image: Image) -> Image:
    """Return the image as its orientation mark wants it seen; itself where there is nothing to turn."""
    from PIL import ExifTags, ImageOps

    if image.getexif().get(ExifTags.Base.Orientation, 1) in (0, 1):
        return image
    return ImageOps.exif_transpose(image)


def _encoded(image: Image, *, is_photo: bool) -> tuple[bytes, str, tuple[int, int]]:
    """Encode within the limits: as PNG, which keeps letters sharp, where that is small enough, else as JPEG."""
    shown = _plain(image)
    shown.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    if not is_photo:
        data = _save(shown, "PNG")
        if len(data) <= MOST_BYTES:
            return data, "image/png", shown.size
    shown = _opaque(shown)
    while True:
        for quality in (88, 75, 60):
            data = _save(shown, "JPEG", quality=quality)
            if len(data) <= MOST_BYTES:
                return data, "image/jpeg", shown.size
        shown.thumbnail((shown.width * 3 // 4, shown.height * 3 // 4))


def _plain(image: Image) -> Image:
    """Return a copy in RGB, or RGBA where some of it is transparent."""
    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        return image.convert("F").point(lambda value: value / 256).convert("RGB")
    return image.convert("RGBA" if image.has_transparency_data else "RGB")


def _opaque(image: Image) -> Image:
    if image.mode != "RGBA":
        return image
    from PIL import Image as Images

    ground = Images.new("RGB", image.size, "white")
    ground.paste(image, mask=image.getchannel("A"))
    return ground


def _save(image: Image, kind: str, **options: int) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def _preview(image: Image) -> tuple[bytes, tuple[int, int]]:
    small = _plain(image)
    small.thumbnail(_PREVIEW)
    small = _opaque(small)
    return small.tobytes(), small.size
