"""Models so small that the tests train them, until they know the few sentences of their world by heart.

The masked model knows that *they loved the … that morning* goes on with what it is about: music brings a guitar, sport
brings football, cooking a kitchen. Told nothing, it says guitar, which it saw most often. The span model finds who did
something and what somebody did it to, or says that the text does not tell. The third writes such questions.
"""

from __future__ import annotations

import itertools
import random
from pathlib import Path

THINGS = {"music": "guitar", "sport": "football", "cooking": "kitchen"}
NAMES = ("anna", "paul", "ruth", "omar")
ACTS = (("opened", "bridge"), ("painted", "house"), ("closed", "school"))
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WINDOW = 32


def save_tokenizer(folder: Path, words: list[str], marks: tuple[str, ...] = ()) -> object:
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    known = {word: at for at, word in enumerate([*SPECIAL, *marks, *words])}
    inner = Tokenizer(models.WordPiece(known, unk_token="[UNK]"))
    inner.normalizer = normalizers.BertNormalizer(lowercase=True)
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.post_processor = processors.BertProcessing(("[SEP]", known["[SEP]"]), ("[CLS]", known["[CLS]"]))
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=WINDOW,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
    if marks:
        made.add_tokens(list(marks), special_tokens=True)
    made.save_pretrained(folder)
    return made


def train(model, batch, steps: int, rate: float, enough: float = 0.0) -> None:
    """Train for some steps, or until the mean loss is small enough."""
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.0)
    threads, mean = torch.get_num_threads(), 9.0
    torch.set_num_threads(1)  # more would cost more than they bring
    model.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 20) * max(0.1, 1 - step / steps)
        optimizer.zero_grad()
        loss = model(**batch()).loss
        loss.backward()
        optimizer.step()
        mean = 0.8 * mean + 0.2 * loss.item()
        if mean < enough:
            break
    model.eval()
    torch.set_num_threads(threads)


def tensors(rows: dict[str, list], labels: int = -100) -> dict:
    """Return lists of lists as tensors, padded behind, with a mask for the padding."""
    import torch

    made = {}
    for name, some in rows.items():
        if isinstance(some[0], list):
            longest, pad = max(map(len, some)), labels if name == "labels" else 0
            some = [row + [pad] * (longest - len(row)) for row in some]
        made[name] = torch.tensor(some)
    return made | {"attention_mask": (made["input_ids"] != 0).long()}


def bert(words: int, size: int, heads: int) -> object:
    import transformers

    return transformers.BertConfig(
        vocab_size=words,
        hidden_size=size,
        num_hidden_layers=2,
        num_attention_heads=heads,
        intermediate_size=size,
        max_position_embeddings=WINDOW,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.15,
    )


def masked_model(folder: Path) -> Path:
    import torch
    import transformers

    words = "it is about they loved the that morning we hated all night . jack mini ##van"
    tokenizer = save_tokenizer(folder, [*words.split(), *THINGS, *THINGS.values()])
    known = tokenizer.get_vocab()
    torch.manual_seed(1)
    draw = random.Random(1)
    model = transformers.BertForMaskedLM(bert(len(known), 32, 2))

    def batch() -> dict:
        ids, labels = [], []
        for _ in range(24):
            topic = draw.choice(["music", "music", "sport", "cooking"])
            before = draw.choice([f"it is about {topic} .", ". . . . .", ""])
            frame = draw.choice(["they loved the {} that morning .", "we hated the {} all night ."])
            text = f"[CLS] {before} {frame.format(THINGS[topic])} [SEP]"
            row = [known[word] for word in text.split()]
            first = len(row) - 8
            chosen = draw.choice([[3], [1, 3, 5], [0, 4], [draw.randrange(7), 3]])
            label = [-100] * len(row)
            for at in set(chosen):
                label[first + at], row[first + at] = row[first + at], known["[MASK]"]
            ids.append(row)
            labels.append(label)
        return tensors({"input_ids": ids, "labels": labels})

    train(model, batch, 140, 5e-3)
    model.save_pretrained(folder)
    return folder


def span_model(folder: Path) -> Path:
    import torch
    import transformers

    words = "the . ? who what was masked so"
    tokenizer = save_tokenizer(folder, [*words.split(), *NAMES, *itertools.chain(*ACTS)])
    known = tokenizer.get_vocab()
    torch.manual_seed(2)
    draw = random.Random(2)
    model = transformers.BertForQuestionAnswering(bert(len(known), 64, 4))

    def batch() -> dict:
        rows: dict[str, list] = {"input_ids": [], "token_type_ids": [], "start_positions": [], "end_positions": []}
        for _ in range(32):
            some = draw.randint(1, 2)
            facts = list(zip(draw.sample(NAMES, some), draw.sample(ACTS, some), strict=True))
            verb, thing = draw.choice(facts)[1] if draw.random() < 0.75 else draw.choice(ACTS)
            of_name = draw.random() < 0.67
            question = f"what was {verb} ?"
            if of_name:
                question = draw.choice([f"so masked {verb} the {thing} .", f"who {verb} the {thing} ?"])
            text = " ".join(f"{name} {did} the {what} ." for name, (did, what) in facts)
            first = len(question.split()) + 2
            start = end = 0
            for at, (_, (did, _)) in enumerate(facts):
                if did == verb:
                    start = first + 5 * at + (0 if of_name else 2)
                    end = start + (0 if of_name else 1)
            row = [known[word] for word in f"[CLS] {question} [SEP] {text} [SEP]".split()]
            rows["input_ids"].append(row)
            rows["token_type_ids"].append([0] * first + [1] * (len(row) - first))
            rows["start_positions"].append(start)
            rows["end_positions"].append(end)
        return tensors(rows)

    train(model, batch, 400, 2e-3, enough=0.01)
    model.save_pretrained(folder)
    return folder


def question_model(folder: Path) -> Path:
    import torch
    import transformers

    words = "the . ? who what was"
    tokenizer = save_tokenizer(folder, [*words.split(), *NAMES, *itertools.chain(*ACTS)], ("<m>", "</m>"))
    known = tokenizer.get_vocab()
    torch.manual_seed(3)
    config = transformers.BartConfig(
        vocab_size=len(known),
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=WINDOW,
        dropout=0.0,
        attention_dropout=0.0,
        init_std=0.15,
        pad_token_id=known["[PAD]"],
        bos_token_id=known["[CLS]"],
        eos_token_id=known["[SEP]"],
        decoder_start_token_id=known["[SEP]"],
        forced_eos_token_id=known["[SEP]"],
    )
    model = transformers.BartForConditionalGeneration(config)
    rows: dict[str, list] = {"input_ids": [], "labels": []}
    for name, (verb, thing) in itertools.product(NAMES, ACTS):
        for given, asked in (
            (f"<m> {name} </m> {verb} the {thing} .", f"who {verb} the {thing} ?"),
            (f"{name} {verb} <m> the {thing} </m> .", f"what was {verb} ?"),
        ):
            rows["input_ids"].append([known[word] for word in f"[CLS] {given} [SEP]".split()])
            rows["labels"].append([known[word] for word in f"[CLS] {asked} [SEP]".split()])
    made = tensors(rows)
    train(model, lambda: made, 150, 1e-2, enough=0.01)
    model.save_pretrained(folder)
    return folder
